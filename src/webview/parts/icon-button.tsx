/** A button that shows a codicon; its label is read out and shown as a tooltip. */
export function IconButton(props: {
  readonly icon: string;
  readonly label: string;
  readonly onClick: (event: MouseEvent) => void;
  readonly class?: string;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
  /** Keeps the text selection where it is. */
  readonly keepSelection?: boolean;
}) {
  return (
    <button
      type="button"
      class={`icon-button codicon codicon-${props.icon} ${props.class ?? ''}`}
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

/** An icon that says nothing of its own. */
export function Icon({ name, class: extra }: { readonly name: string; readonly class?: string }) {
  return <span class={`codicon codicon-${name} ${extra ?? ''}`} aria-hidden="true" />;
}
