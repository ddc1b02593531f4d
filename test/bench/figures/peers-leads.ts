import type { Figure } from '../report/figure.ts';

/** What this product is compared in, by the figures of a grid. */
const COMPARED: readonly {
  readonly id: string;
  readonly label: string;
  readonly of: RegExp;
  readonly better: 'higher' | 'lower';
}[] = [
  ...[2, 5, 10, 20, 30].map((share) => ({
    id: `facts${share}`,
    label: `facts kept at ${share} %`,
    of: new RegExp(`^peers\\.facts\\.(\\w+)\\.at${share}$`),
    better: 'higher' as const,
  })),
  ...['said', 'files', 'decided', 'left'].map((family) => ({
    id: `probes.${family}`,
    label: `questions answered, ${family}`,
    of: new RegExp(`^peers\\.probes\\.(\\w+)\\.${family}$`),
    better: 'higher' as const,
  })),
  ...[1_000, 10_000].flatMap((count) => [
    {
      id: `sent${count}`,
      label: `tokens to the summarizer over ${count.toLocaleString('en-US')} messages, of those who ask one`,
      of: new RegExp(`^peers\\.at${count}\\.(\\w+)\\.sent$`),
      better: 'lower' as const,
    },
    {
      id: `turn${count}`,
      label: `CPU time of a turn at ${count.toLocaleString('en-US')} messages`,
      of: new RegExp(`^peers\\.at${count}\\.(\\w+)\\.turnMs$`),
      better: 'lower' as const,
    },
  ]),
];

const OURS = 'threadkeeper';

/** This product against the best of the others in each comparison: 1 × and more leads, or is level. */
export function leads(figures: readonly Figure[]): Figure[] {
  return COMPARED.flatMap(({ id, label, of, better }) => {
    const found = figures.flatMap((figure) => {
      const system = of.exec(figure.id)?.[1];
      return system === undefined ? [] : [{ system, name: figure.cell?.row ?? system, value: figure.value }];
    });
    const ours = found.find(({ system }) => system === OURS);
    // A system that sends nothing asks no model: what it keeps is in the grid.
    const others = found.filter(({ system, value }) => system !== OURS && (better === 'higher' || value > 0));
    if (!ours || others.length === 0) return [];
    const order = others.sort((a, b) => (better === 'higher' ? b.value - a.value : a.value - b.value));
    const best = order[0]!;
    const ratio = better === 'higher' ? ours.value / Math.max(best.value, 1e-9) : best.value / ours.value;
    return {
      id: `peers.lead.${id}`,
      label: `${label}: Threadkeeper against the best other (${best.name})`,
      value: ratio,
      unit: '×',
      target: { atLeast: 1 },
    } as const;
  });
}
