/** A seeded number generator (mulberry32, public domain). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to but not including `below`. */
  upTo(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.upTo(list.length)]!;
  }
}

/** Unusual values. */
const ODD: readonly unknown[] = [
  ...[
    null,
    undefined,
    true,
    '',
    ' ',
    'x',
    '__proto__',
    'constructor',
    'a'.repeat(300),
    'x'.repeat(5_000),
    '\u0000',
    '\ud800',
    '\u202e',
  ],
  ...[0, -1, -0, 0.5, 1e300, -1e300, 2 ** 53, 2 ** 53 - 1, 2 ** 31, 1.7e18, Number.NaN, Infinity, -Infinity],
  ...[[], {}, [[]], [null], { type: 'text' }, { toString: 1 }, { length: 1e9 }],
];

/** A copy of a JSON value with one to three changes. */
export function mutated(value: unknown, dice: Dice): unknown {
  const copy = structuredClone(value);
  const holder: { value: unknown } = { value: copy };
  for (let times = 1 + dice.upTo(3); times > 0; times--) {
    let at: object = holder;
    let key = 'value';
    // At any depth, but rarely at the root.
    for (;;) {
      const inner: unknown = Reflect.get(at, key);
      if (typeof inner !== 'object' || inner === null || (at !== holder && dice.upTo(3) === 0)) break;
      const keys = Object.keys(inner);
      if (keys.length === 0) break;
      at = inner;
      key = dice.pick(keys);
    }
    const [what, odd] = [dice.upTo(6), structuredClone(dice.pick(ODD))];
    if (what === 0) Reflect.deleteProperty(at, key);
    else if (what === 1) Reflect.set(at, dice.pick(['extra', 'id', 'type', '__proto__x', key]), odd);
    else if (what === 2 && Array.isArray(at)) at.push(structuredClone(at[0]) as never);
    else Reflect.set(at, key, odd);
  }
  return holder.value;
}

/** A copy of bytes in which some were changed, removed, duplicated, or swapped. */
export function damaged(bytes: Buffer, dice: Dice): Buffer {
  const copy = Buffer.from(bytes);
  const [from, to] = [dice.upTo(copy.length + 1), dice.upTo(copy.length + 1)].sort((a, b) => a - b) as [number, number];
  switch (dice.upTo(6)) {
    case 0:
      for (let times = 1 + dice.upTo(8); times > 0 && copy.length > 0; times--)
        copy[dice.upTo(copy.length)] = dice.upTo(256);
      return copy;
    case 1:
      return copy.subarray(0, from);
    case 2:
      return Buffer.concat([copy.subarray(0, from), copy.subarray(to)]);
    case 3:
      return Buffer.concat([copy.subarray(0, to), copy.subarray(from)]);
    case 4:
      return Buffer.concat([copy.subarray(0, from), Buffer.alloc(dice.upTo(200), dice.upTo(256)), copy.subarray(from)]);
    default:
      return Buffer.concat([copy.subarray(0, from), copy.subarray(to), copy.subarray(from, to)]);
  }
}
