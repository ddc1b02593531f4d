import { show, type Figure } from '../report/figure.ts';
import { OVER } from './peers.ts';

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
const BY_CODE = 'threadkeeperByCode';

interface Compared {
  readonly system: string;
  readonly name: string;
  readonly value: number;
}

/**
 * This product against the best of the others in each comparison: 1 × and more leads, or is level, and each line says
 * which. What costs least is compared with all, and with those alone that kept as many facts in the same session: who
 * keeps next to nothing has next to nothing to do.
 */
export function leads(figures: readonly Figure[]): Figure[] {
  const value = (id: string): number | undefined => figures.find((figure) => figure.id === id)?.value;
  const ofThoseWhoAskNone = [1_000, 10_000].flatMap((count) => byCode(figures, count));
  return ofThoseWhoAskNone.concat(
    COMPARED.flatMap(({ id, label, of, better }) => {
      const found = figures.flatMap((figure): (Compared & { readonly session: string })[] => {
        const system = of.exec(figure.id)?.[1];
        if (system === undefined) return [];
        return [{ system, name: figure.cell?.row ?? system, value: figure.value, session: sessionOf(figure.id) }];
      });
      const ours = found.find(({ system }) => system === OURS);
      // A system that sends nothing asks no model: what it keeps is in the grid.
      const others = found.filter(
        ({ system, value: own }) => system !== OURS && system !== BY_CODE && (better === 'higher' || own > 0),
      );
      if (!ours) return [];
      if (better === 'higher') return against(`peers.lead.${id}`, label, better, ours, others);
      const facts = (system: string): number | undefined => value(`${ours.session}.${system}.facts`);
      const kept = others.filter(
        ({ system }) =>
          (facts(system) ?? 0) >= (facts(OURS) ?? 0) &&
          (value(`${ours.session}.${system}.context`) ?? Infinity) <= OVER &&
          value(`${ours.session}.${system}.played`) === 1,
      );
      const named = others.map((other) => {
        const share = facts(other.system);
        return share === undefined
          ? other
          : { ...other, name: `${other.name}, ${show(share, 'share')} of the facts kept` };
      });
      return [
        ...against(`peers.lead.${id}.kept`, `${label}, among those that kept as many facts`, better, ours, kept),
        ...against(`peers.lead.${id}`, `${label}, whatever was kept`, better, ours, named),
      ];
    }),
  );
}

/** What is kept by those who send nothing to any model and stay within the budget. */
function byCode(figures: readonly Figure[], count: number): Figure[] {
  const session = `peers.at${count}`;
  const value = (system: string, what: string): number | undefined =>
    figures.find(({ id }) => id === `${session}.${system}.${what}`)?.value;
  const silent = figures.flatMap(({ id, value: facts, cell }): Compared[] => {
    const [, system] = new RegExp(`^${session}\\.(\\w+)\\.facts$`).exec(id) ?? [];
    if (system === undefined || value(system, 'sent') !== 0 || (value(system, 'context') ?? Infinity) > OVER) return [];
    return [{ system, name: cell?.row ?? system, value: facts }];
  });
  const ours = silent.find(({ system }) => system === BY_CODE);
  if (!ours) return [];
  const label = `facts kept of ${count.toLocaleString('en-US')} messages by those who send no tokens to a summarizer`;
  const others = silent.filter(({ system }) => system !== BY_CODE);
  return against(`peers.lead.silent${count}`, label, 'higher', ours, others);
}

/** `peers.at1000` of `peers.at1000.system.sent`. */
const sessionOf = (id: string): string => id.split('.').slice(0, 2).join('.');

function against(
  id: string,
  label: string,
  better: 'higher' | 'lower',
  ours: Compared,
  others: readonly Compared[],
): Figure[] {
  const best = others.toSorted((a, b) => (better === 'higher' ? b.value - a.value : a.value - b.value))[0];
  if (!best) return [];
  const ratio = better === 'higher' ? ours.value / Math.max(best.value, 1e-9) : best.value / ours.value;
  const how = ratio > 1 ? 'Threadkeeper leads' : ratio === 1 ? 'Threadkeeper is level' : 'Threadkeeper does not lead';
  const target = { atLeast: 1 };
  return [{ id, label: `${label}: ${how}; the best other is ${best.name}`, value: ratio, unit: '×', target }];
}
