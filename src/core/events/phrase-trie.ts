/** A phrase to be found: `bits` say what for; an open one may go on after its last letter. */
export interface Phrase {
  readonly text: string;
  readonly open: boolean;
  readonly bits: number;
}

interface Branch {
  readonly next: Map<number, Branch>;
  whole: number;
  open: number;
}

const newBranch = (): Branch => ({ next: new Map(), whole: 0, open: 0 });

/**
 * Phrases by their UTF-16 units, in flat arrays: a node's children stand side by side, so that a step reads a few
 * neighbouring numbers. Node 0 is none.
 */
export class PhraseTrie {
  private readonly roots = new Int32Array(0x10000);
  /** The unit that leads to a node. */
  private readonly units: Uint16Array;
  /** A node's first child; its last stands before the next node's first. */
  private readonly firstChild: Int32Array;
  private readonly whole: Int32Array;
  private readonly open: Int32Array;

  constructor(phrases: Iterable<Phrase>) {
    const root = newBranch();
    let count = 1;
    for (const { text, open, bits } of phrases) {
      let branch = root;
      for (let at = 0; at < text.length; at++) {
        const unit = text.charCodeAt(at);
        let child = branch.next.get(unit);
        if (child === undefined) {
          branch.next.set(unit, (child = newBranch()));
          count++;
        }
        branch = child;
      }
      if (open) branch.open |= bits;
      else branch.whole |= bits;
    }
    this.units = new Uint16Array(count);
    this.firstChild = new Int32Array(count + 1);
    this.whole = new Int32Array(count);
    this.open = new Int32Array(count);
    const order: Branch[] = [root];
    for (let node = 0; node < order.length; node++) {
      const branch = order[node]!;
      this.whole[node] = branch.whole;
      this.open[node] = branch.open;
      this.firstChild[node] = order.length;
      for (const [unit, child] of branch.next) {
        this.units[order.length] = unit;
        if (node === 0) this.roots[unit] = order.length;
        order.push(child);
      }
    }
    this.firstChild[count] = count;
  }

  /** The node that a unit leads to from the start, or 0. */
  start(unit: number): number {
    return this.roots[unit]!;
  }

  /** The node that a unit leads to from a node, or 0. */
  step(node: number, unit: number): number {
    const end = this.firstChild[node + 1]!;
    for (let child = this.firstChild[node]!; child < end; child++) if (this.units[child] === unit) return child;
    return 0;
  }

  /** What the phrases that end at a node are for; those that are not open only where a word ends. */
  bitsAt(node: number, wordEnds: boolean): number {
    return wordEnds ? this.open[node]! | this.whole[node]! : this.open[node]!;
  }
}
