import { Emitter, type Disposable } from '../app/emitter.ts';
import type { Conversation } from '../app/conversation.ts';
import { GAUGE_PARTS, levelOf, type GaugeLevel } from '../core/budget/gauge.ts';
import type { GaugeView } from '../protocol/views.ts';

/** The gauge's figures for a conversation: the same for status bar, panel and triggers. */
export class ContextGauge {
  readonly #changed: Emitter<undefined>;

  constructor(warn: (message: string) => void) {
    this.#changed = new Emitter((error) => warn(`A listener of the gauge failed: ${String(error)}`));
  }

  onDidChange(listener: () => void): Disposable {
    return this.#changed.on(listener);
  }

  changed(): void {
    this.#changed.emit(undefined);
  }

  view(conversation: Conversation): GaugeView {
    const context = conversation.context();
    const { contextWindow, reservedTokens, policy } = conversation.settings();
    const { tokenFactor } = conversation.meter;
    const shown = (tokens: number): number => Math.round(tokens * tokenFactor);
    return {
      used: shown(context.total),
      budget: conversation.meter.providerBudget(),
      contextWindow,
      reserved: reservedTokens,
      approximate: conversation.meter.isApproximate,
      parts: GAUGE_PARTS.map((name) => ({ name, tokens: shown(context.tokens[name]) })),
      ...(policy.triggers.share !== null && policy.strategy !== 'off' && { threshold: policy.triggers.share }),
      droppedEvents: context.leftOut.length,
      policy: policy.name,
    };
  }

  level(view: GaugeView): GaugeLevel {
    return levelOf(view.used / Math.max(1, view.budget));
  }
}
