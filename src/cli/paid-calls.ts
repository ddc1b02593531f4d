import { CallLog } from '../core/compress/summary-model.ts';
import type { Usage } from '../core/model/message.ts';

/** The model calls of a command and their cost, which are known even if the command fails. */
export class PaidCalls extends CallLog {
  /** US dollars; null if the price of a call is unknown. */
  costUsd: number | null = 0;

  addCall({ input, output }: Usage, price: number | undefined): void {
    this.add(input, output);
    this.costUsd = this.costUsd === null || price === undefined ? null : this.costUsd + price;
  }

  /** A sentence about the calls; empty if there were none. */
  describe(): string {
    if (this.count === 0) return '';
    const number = (value: number): string => value.toLocaleString('en');
    const cost = this.costUsd === null ? 'unknown cost' : `$${this.costUsd.toFixed(4)}`;
    return `Model calls until then: ${this.count} (${number(this.inputTokens)} input tokens, ${number(this.outputTokens)} output tokens, ${cost}).`;
  }
}
