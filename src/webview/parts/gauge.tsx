import type { GaugeView } from '../../protocol/views.ts';
import { formatCost, formatCount, formatCounted, formatPercent } from '../format.ts';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { Icon } from './icon-button.tsx';

const NAMES: Readonly<Record<GaugeView['parts'][number]['name'], () => string>> = {
  system: () => text('System prompt'),
  rules: () => text('Project instructions'),
  memory: () => text('Memory'),
  ledger: () => text('Key events'),
  summaries: () => text('Summaries'),
  window: () => text('Recent messages'),
  task: () => text('Task'),
  attachments: () => text('Attachments'),
  recalled: () => text('Recalled excerpts'),
};

/** How full the context is, by its parts; opens to the figures. */
export function Gauge({ gauge }: { readonly gauge: GaugeView }) {
  const page = usePage();
  const open = page.panel === 'gauge';
  const share = gauge.budget > 0 ? gauge.used / gauge.budget : 0;
  const level = share >= 0.9 ? 'full' : share >= (gauge.threshold ?? 0.75) ? 'high' : 'low';
  const about = gauge.approximate === true ? '~' : '';
  const used = about + formatCount(gauge.used);
  const size = text('{0} of {1} tokens ({2})', used, formatCount(gauge.budget), about + formatPercent(share));
  const label = gauge.costUsd > 0 ? `${size} · ${formatCost(gauge.costUsd)}` : size;
  const parts = gauge.parts.filter((part) => part.tokens > 0);
  const scale = Math.max(gauge.budget, gauge.used, 1);
  return (
    <div class="gauge-holder">
      {open && <GaugePanel gauge={gauge} parts={parts} />}
      <button
        type="button"
        class={`gauge gauge-${level}`}
        aria-expanded={open}
        aria-label={`${text('Context')}: ${label}`}
        title={text('Context usage')}
        onClick={() => page.show(open ? 'none' : 'gauge')}
      >
        <span class="gauge-bar" aria-hidden="true">
          {parts.map((part) => (
            <span
              key={part.name}
              class={`gauge-part part-${part.name}`}
              style={{ width: `${(part.tokens / scale) * 100}%` }}
            />
          ))}
          {gauge.threshold !== undefined && (
            <span
              class="gauge-threshold"
              style={{ insetInlineStart: `${((gauge.threshold * gauge.budget) / scale) * 100}%` }}
            />
          )}
        </span>
        {gauge.droppedEvents > 0 && <Icon name="warning" />}
        <span class="gauge-label">{label}</span>
      </button>
    </div>
  );
}

/** The gauge's place until its figures are there: what is above it does not move when they come. */
export function GaugeRoom() {
  return (
    <div class="gauge-holder" aria-hidden="true">
      <div class="gauge-room">{'\u00a0'}</div>
    </div>
  );
}

function GaugePanel({ gauge, parts }: { readonly gauge: GaugeView; readonly parts: GaugeView['parts'] }) {
  const page = usePage();
  return (
    <section class="gauge-panel" aria-label={text('Context usage')}>
      <table>
        <tbody>
          {parts.map((part) => (
            <tr key={part.name}>
              <th scope="row">
                <span class={`swatch part-${part.name}`} aria-hidden="true" />
                {NAMES[part.name]()}
              </th>
              <td>{formatCount(part.tokens)}</td>
              <td>{formatPercent(part.tokens / Math.max(1, gauge.budget))}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">
              <span class="swatch" aria-hidden="true" />
              {text('Free')}
            </th>
            <td>{formatCount(Math.max(0, gauge.budget - gauge.used))}</td>
            <td>{formatPercent(Math.max(0, 1 - gauge.used / Math.max(1, gauge.budget)))}</td>
          </tr>
          <tr class="apart">
            <th scope="row">
              <span class="swatch" aria-hidden="true" />
              {text('Not available for requests')}
            </th>
            <td>{formatCount(gauge.reserved)}</td>
            <td />
          </tr>
        </tbody>
      </table>
      <p class="gauge-policy meta">
        <span>
          {gauge.threshold !== undefined
            ? text(
                'Compresses in the background at {0} of the context budget (policy: {1})',
                formatPercent(gauge.threshold),
                gauge.policy,
              )
            : text('Policy: {0}', gauge.policy)}
        </span>
        <button type="button" class="text-button" onClick={() => page.run('choosePolicy')}>
          {text('Change Policy')}
        </button>
      </p>
      {gauge.costUsd > 0 && <p class="meta">{text('Known cost of this session: {0}.', formatCost(gauge.costUsd))}</p>}
      {gauge.droppedEvents > 0 && (
        <p class="fault">
          <Icon name="warning" />{' '}
          {formatCounted(
            gauge.droppedEvents,
            '1 more key event doesn’t fit and isn’t sent.',
            '{0} more key events don’t fit and aren’t sent.',
          )}
        </p>
      )}
    </section>
  );
}
