/** A binary max-heap of numbered items. Among equal keys, the lowest item comes first. */
export class MaxHeap {
  private readonly keys: number[] = [];
  private readonly items: number[] = [];

  get size(): number {
    return this.items.length;
  }

  /** The largest key; -Infinity if the heap is empty. */
  topKey(): number {
    return this.keys[0] ?? -Infinity;
  }

  push(key: number, item: number): void {
    let at = this.items.length;
    this.keys.push(key);
    this.items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.isBefore(key, item, parent)) break;
      this.keys[at] = this.keys[parent]!;
      this.items[at] = this.items[parent]!;
      at = parent;
    }
    this.keys[at] = key;
    this.items[at] = item;
  }

  /** Removes the top. The heap must not be empty. */
  pop(): { readonly key: number; readonly item: number } {
    const { keys, items } = this;
    const top = { key: keys[0]!, item: items[0]! };
    const [key, item] = [keys.pop()!, items.pop()!];
    const size = items.length;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && this.isBefore(keys[child + 1]!, items[child + 1]!, child)) child++;
      if (this.isBefore(key, item, child)) break;
      keys[at] = keys[child]!;
      items[at] = items[child]!;
      at = child;
    }
    if (size > 0) {
      keys[at] = key;
      items[at] = item;
    }
    return top;
  }

  private isBefore(key: number, item: number, at: number): boolean {
    const other = this.keys[at]!;
    return key > other || (key === other && item < this.items[at]!);
  }
}
