/** A phrase to find. `bits` are flags of its meaning; an open phrase may continue after its last letter. */
export interface TriePhrase {
  readonly text: string;
  readonly open: boolean;
  readonly bits: number;
}

interface Branch {
  readonly next: Map<number, Branch>;
  /** Bits of the phrases that end here, and of those that end here and may continue. */
  whole: number;
  open: number;
}

const newBranch = (): Branch => ({ next: new Map(), whole: 0, open: 0 });

/**
 * A trie of phrases by UTF-16 units, in flat arrays. A node's children are adjacent, so that a step reads a few
 * neighboring numbers. Node 0 is the root; `start`
 * and `step` return it if there is no such node.
 */
export class PhraseTrie {
  /** The root's child for each unit. */
  private readonly firstNodes = new Int32Array(0x10000);
  /** The unit that leads to a node. */
  private readonly units: Uint16Array;
  /** The first child of a node. Its last child precedes the next node's first child. */
  private readonly firstChild: Int32Array;
  private readonly whole: Int32Array;
  private readonly open: Int32Array;

  constructor(phrases: Iterable<TriePhrase>) {
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
        if (node === 0) this.firstNodes[unit] = order.length;
        order.push(child);
      }
    }
    this.firstChild[count] = count;
  }

  /** The node for a unit from the root, or 0. */
  start(unit: number): number {
    return this.firstNodes[unit]!;
  }

  /** The node for a unit from a node, or 0. */
  step(node: number, unit: number): number {
    const end = this.firstChild[node + 1]!;
    for (let child = this.firstChild[node]!; child < end; child++) if (this.units[child] === unit) return child;
    return 0;
  }

  /** The bits of phrases that end at a node. Those that aren't open only count at the end of a word. */
  bitsAt(node: number, wordEnds: boolean): number {
    return wordEnds ? this.open[node]! | this.whole[node]! : this.open[node]!;
  }
}
