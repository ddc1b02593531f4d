import { useEffect, useRef } from 'preact/hooks';
import { text } from '../texts.ts';
import { Icon } from './icon-button.tsx';

export interface Suggestion {
  readonly key: string;
  readonly icon: string;
  readonly label: string;
  readonly detail: string;
  readonly choose: () => void;
}

/** What may be meant by what is being typed. The focus stays in the field. */
export function SuggestionList(props: { readonly suggestions: readonly Suggestion[]; readonly picked: number }) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.children[props.picked]?.scrollIntoView({ block: 'nearest' }), [props.picked]);
  return (
    <ul class="suggestions" id="suggestions" role="listbox" aria-label={text('suggestions')} tabIndex={0} ref={list}>
      {props.suggestions.map((each, index) => (
        <li
          key={each.key}
          id={`suggestion-${index}`}
          role="option"
          aria-selected={index === props.picked}
          onMouseDown={(event) => {
            event.preventDefault();
            each.choose();
          }}
        >
          <Icon name={each.icon} />
          <span class="suggestion-label">{each.label}</span>
          <span class="meta">{each.detail}</span>
        </li>
      ))}
    </ul>
  );
}
