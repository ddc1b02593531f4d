/** A binary heap of numbered items, the largest key on top; of equal keys the item that stands first. */
export class MaxHeap {
  private readonly keys: number[] = [];
  private readonly items: number[] = [];

  get size(): number {
    return this.items.length;
  }

  /** The largest key; -Infinity when the heap is empty. */
  topKey(): number {
    return this.keys[0] ?? -Infinity;
  }

  push(key: number, item: number): void {
    let at = this.items.length;
    this.keys.push(key);
    this.items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.before(key, item, parent)) break;
      this.keys[at] = this.keys[parent]!;
      this.items[at] = this.items[parent]!;
      at = parent;
    }
    this.keys[at] = key;
    this.items[at] = item;
  }

  /** Takes the top off. @throws {RangeError} when the heap is empty */
  pop(): { readonly key: number; readonly item: number } {
    const item = this.items[0];
    const key = this.keys[0];
    if (item === undefined || key === undefined) throw new RangeError('The heap is empty.');
    const lastKey = this.keys.pop()!;
    const lastItem = this.items.pop()!;
    if (this.items.length > 0) this.sink(lastKey, lastItem);
    return { key, item };
  }

  private sink(key: number, item: number): void {
    const size = this.items.length;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.before(this.keys[child + 1]!, this.items[child + 1]!, child)) child++;
      if (this.before(key, item, child)) break;
      this.keys[at] = this.keys[child]!;
      this.items[at] = this.items[child]!;
      at = child;
    }
    this.keys[at] = key;
    this.items[at] = item;
  }

  private before(key: number, item: number, at: number): boolean {
    const other = this.keys[at]!;
    return key > other || (key === other && item < this.items[at]!);
  }
}
