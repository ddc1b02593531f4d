import { PART_NAMES } from '../../protocol/display-names.ts';
import type { GaugeView } from '../../protocol/views.ts';
import { formatCost, formatCount, formatCounted, formatPercent } from '../format.ts';
import { page } from '../page-instance.ts';
import { phraseText, text } from '../texts.ts';
import { Button, Icon } from './elements.tsx';

/** The usage of the context budget by parts. Without a gauge, renders an empty line to avoid a layout shift. */
export function Gauge({ gauge }: { readonly gauge: GaugeView | null }) {
  if (!gauge)
    return (
      <div class="gauge-holder gauge" aria-hidden="true">
        {'\u00a0'}
      </div>
    );
  const open = page.panel === 'gauge';
  const share = gauge.budget > 0 ? gauge.used / gauge.budget : 0;
  const isHigh = share >= (gauge.threshold ?? 0.75);
  const approximate = gauge.approximate === true ? '~' : '';
  const used = approximate + formatCount(gauge.used);
  const size = text('{0} of {1} tokens ({2})', used, formatCount(gauge.budget), approximate + formatPercent(share));
  const label = gauge.costUsd > 0 ? `${size} · ${formatCost(gauge.costUsd)}` : size;
  const parts = gauge.parts.filter((part) => part.tokens > 0);
  const scale = Math.max(gauge.budget, gauge.used, 1);
  const percent = (tokens: number): string => `${(tokens / scale) * 100}%`;
  return (
    <div class="gauge-holder">
      {open && <GaugePanel gauge={gauge} parts={parts} />}
      <button
        type="button"
        class={`gauge line ${share >= 0.9 ? 'full' : isHigh ? 'high' : ''}`}
        aria-expanded={open}
        aria-label={`${text('Context')}: ${label}`}
        title={text('Context usage')}
        onClick={() => page.togglePanel('gauge')}
      >
        <span class="gauge-bar" aria-hidden="true">
          {parts.map(({ name, tokens }) => (
            <span key={name} class="part" style={{ width: percent(tokens), background: `var(--part-${name})` }} />
          ))}
          {gauge.threshold !== undefined && (
            <span class="gauge-threshold" style={{ insetInlineStart: percent(gauge.threshold * gauge.budget) }} />
          )}
        </span>
        {gauge.droppedEvents > 0 && <Icon name="warning" />}
        <span class="gauge-label">{label}</span>
      </button>
    </div>
  );
}

function GaugePanel({ gauge, parts }: { readonly gauge: GaugeView; readonly parts: GaugeView['parts'] }) {
  const { budget, threshold, policy, next, costUsd, droppedEvents } = gauge;
  const shareOf = (tokens: number): string => formatPercent(tokens / Math.max(1, budget));
  const free = Math.max(0, budget - gauge.used);
  const rows = [
    ...parts.map(({ name, tokens }) => ({
      name: phraseText(PART_NAMES[name]),
      background: `var(--part-${name})`,
      tokens,
      share: shareOf(tokens),
    })),
    { name: text('Free'), background: '', tokens: free, share: shareOf(free) },
    { name: text('Not available for requests'), background: '', tokens: gauge.reserved, share: '' },
  ];
  return (
    <section class="gauge-panel popup" aria-label={text('Context usage')}>
      <table>
        <tbody>
          {rows.map(({ name, background, tokens, share }) => (
            <tr key={name} class={share === '' ? 'meta' : undefined}>
              <th scope="row">
                <span class="swatch" style={{ background }} aria-hidden="true" />
                {name}
              </th>
              <td>{formatCount(tokens)}</td>
              <td>{share}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="gauge-policy meta line wrap">
        <span class="fill">
          {threshold === undefined
            ? text('Policy: {0}', policy)
            : text(
                'Compresses in the background at {0} of the context budget (policy: {1})',
                formatPercent(threshold),
                policy,
              )}
        </span>
        <Button refusal={page.readOnly} onClick={() => page.runCommand('choosePolicy')}>
          {text('Change Policy')}
        </Button>
      </p>
      {next !== undefined && <p class="meta">{next}</p>}
      {costUsd > 0 && <p class="meta">{text('Known cost of this session: {0}.', formatCost(costUsd))}</p>}
      {droppedEvents > 0 && (
        <p class="fault">
          <Icon name="warning" />{' '}
          {formatCounted(
            droppedEvents,
            '1 more key event doesn’t fit and isn’t sent.',
            '{0} more key events don’t fit and aren’t sent.',
          )}
        </p>
      )}
    </section>
  );
}
