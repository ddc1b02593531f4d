import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** A decorative icon. */
export function Icon({ name, class: extra = '' }: { readonly name: string; readonly class?: string }) {
  return <span class={`codicon codicon-${name} ${extra}`} aria-hidden="true" />;
}

/** A button with a codicon; its label is also the tooltip. */
export function IconButton(props: {
  readonly icon: string;
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
  /** Keeps the text selection. */
  readonly keepSelection?: boolean;
}) {
  return (
    <button
      type="button"
      class={`icon-button codicon codicon-${props.icon}`}
      title={props.label}
      aria-label={props.label}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
      disabled={props.disabled}
      onMouseDown={props.keepSelection ? (event) => event.preventDefault() : undefined}
      onClick={props.onClick}
    />
  );
}

/** A button with text, which looks like a link by default. */
export function Button({
  look = 'text-button',
  ...attributes
}: { readonly look?: 'text-button' | 'button' | 'button secondary' } & Omit<ButtonHTMLAttributes, 'class' | 'type'>) {
  return <button type="button" class={look} {...attributes} />;
}

/** A disclosure, whose content is only rendered while it's open. */
export function Disclosure(props: {
  readonly head: ComponentChildren;
  /** Shown while it's closed. */
  readonly detail?: ComponentChildren;
  /** Next to the line. */
  readonly action?: ComponentChildren;
  /** Below the line, even while it's closed. */
  readonly under?: ComponentChildren;
  readonly toggleClass?: string;
  readonly isOpenAtFirst?: boolean;
  readonly children: ComponentChildren;
}) {
  const [open, setOpen] = useState(props.isOpenAtFirst ?? false);
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
      {props.under}
      {open && props.children}
    </>
  );
}
