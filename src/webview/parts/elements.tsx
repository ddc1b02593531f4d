import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** An icon that says nothing of its own. */
export function Icon({ name, class: extra = '' }: { readonly name: string; readonly class?: string }) {
  return <span class={`codicon codicon-${name} ${extra}`} aria-hidden="true" />;
}

/** A button that shows a codicon; its label is read out and shown as a tooltip. */
export function IconButton(props: {
  readonly icon: string;
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
  /** Keeps the text selection where it is. */
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

/** A button of words, which looks like a link unless it says otherwise. */
export function Button({
  look = 'text-button',
  ...attributes
}: { readonly look?: 'text-button' | 'button' | 'button secondary' } & Omit<ButtonHTMLAttributes, 'class' | 'type'>) {
  return <button type="button" class={look} {...attributes} />;
}

/** A line that opens to what is below it, which is on the page only then. */
export function Disclosure(props: {
  readonly head: ComponentChildren;
  /** Said on the line while it is closed. */
  readonly detail?: ComponentChildren;
  /** Stands beside the line. */
  readonly action?: ComponentChildren;
  /** Stands under the line, whether it is open or not. */
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
