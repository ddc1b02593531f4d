import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export function Icon({ name, class: extra = '' }: { readonly name: string; readonly class?: string }) {
  return <span class={`codicon codicon-${name} ${extra}`} aria-hidden="true" />;
}

export function IconButton(props: {
  readonly icon: string;
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  /** Why the action isn't available. It disables the button. */
  readonly refusal?: string | undefined;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
  /** Whether clicking keeps the text selection. */
  readonly keepSelection?: boolean;
}) {
  return (
    <button
      type="button"
      class={`icon-button codicon codicon-${props.icon}`}
      title={props.refusal === undefined ? props.label : `${props.label}\n${props.refusal}`}
      aria-label={props.label}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
      disabled={props.disabled === true || props.refusal !== undefined}
      onMouseDown={props.keepSelection ? (event) => event.preventDefault() : undefined}
      onClick={props.onClick}
    />
  );
}

/** A button with text. By default it looks like a link. With `refusal`, it's disabled. */
export function Button({
  look = 'text-button',
  refusal,
  ...attributes
}: {
  readonly look?: 'text-button' | 'button' | 'button secondary';
  readonly refusal?: string | undefined;
} & Omit<ButtonHTMLAttributes, 'class' | 'type'>) {
  return <button type="button" class={look} disabled={refusal !== undefined} title={refusal} {...attributes} />;
}

/** A line that expands and collapses its children. Collapsed children aren't rendered. */
export function Disclosure(props: {
  readonly head: ComponentChildren;
  /** Shown in the line while it's collapsed. */
  readonly detail?: ComponentChildren;
  /** Shown at the end of the line. */
  readonly action?: ComponentChildren;
  /** Shown below the line, even while it's collapsed. */
  readonly footer?: ComponentChildren;
  readonly toggleClass?: string;
  readonly isInitiallyOpen?: boolean;
  readonly children: ComponentChildren;
}) {
  const [open, setOpen] = useState(props.isInitiallyOpen ?? false);
  return (
    <>
      <div class="line">
        <button
          type="button"
          class={`disclosure line fill ${props.toggleClass ?? ''}`}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
          {props.head}
          {!open && props.detail}
        </button>
        {props.action}
      </div>
      {props.footer}
      {open && props.children}
    </>
  );
}
