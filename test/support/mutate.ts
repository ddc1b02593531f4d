import type { Random } from './random.ts';

const ODD: readonly unknown[] = [
  ...[null, undefined, true, '', ' ', 'x', '__proto__', 'constructor', 'a'.repeat(300), 'x'.repeat(5_000)],
  ...['\u0000', '\ud800', '\u202e'],
  ...[0, -1, -0, 0.5, 1e300, -1e300, 2 ** 53, 2 ** 53 - 1, 2 ** 31, 1.7e18, Number.NaN, Infinity, -Infinity],
  ...[[], {}, [[]], [null], { type: 'text' }, { toString: 1 }, { length: 1e9 }],
];

/** A copy of a JSON value with one to three changes. */
export function mutated(value: unknown, random: Random): unknown {
  const copy = structuredClone(value);
  const holder: { value: unknown } = { value: copy };
  for (let times = 1 + random.below(3); times > 0; times--) {
    let at: object = holder;
    let key = 'value';
    // Change a value at any depth, but rarely the root.
    for (;;) {
      const inner: unknown = Reflect.get(at, key);
      if (typeof inner !== 'object' || inner === null || (at !== holder && random.below(3) === 0)) break;
      const keys = Object.keys(inner);
      if (keys.length === 0) break;
      at = inner;
      key = random.pick(keys);
    }
    const [what, odd] = [random.below(6), structuredClone(random.pick(ODD))];
    if (what === 0) Reflect.deleteProperty(at, key);
    else if (what === 1) Reflect.set(at, random.pick(['extra', 'id', 'type', '__proto__x', key]), odd);
    else if (what === 2 && Array.isArray(at)) at.push(structuredClone(at[0]) as never);
    else Reflect.set(at, key, odd);
  }
  return holder.value;
}

/** A copy of bytes in which some were changed, removed, duplicated, or swapped. */
export function damaged(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  const [from, to] = [random.below(copy.length + 1), random.below(copy.length + 1)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  switch (random.below(6)) {
    case 0:
      for (let times = 1 + random.below(8); times > 0 && copy.length > 0; times--)
        copy[random.below(copy.length)] = random.below(256);
      return copy;
    case 1:
      return copy.subarray(0, from);
    case 2:
      return Buffer.concat([copy.subarray(0, from), copy.subarray(to)]);
    case 3:
      return Buffer.concat([copy.subarray(0, to), copy.subarray(from)]);
    case 4:
      return Buffer.concat([
        copy.subarray(0, from),
        Buffer.alloc(random.below(200), random.below(256)),
        copy.subarray(from),
      ]);
    default:
      return Buffer.concat([copy.subarray(0, from), copy.subarray(to), copy.subarray(from, to)]);
  }
}
