import ranks from 'js-tiktoken/ranks/o200k_base';
import { BpeCounter } from '../../../src/core/tokens/bpe.ts';
import { developerMessages, type BenchContext } from '../context.ts';
import { load } from '../peers/load.ts';
import { cpuMs } from '../report/cpu.ts';
import type { Figure } from '../report/figure.ts';

/** Another library's counter, its vocabulary read when it is made. */
interface Other {
  readonly id: string;
  readonly label: string;
  readonly make: () => Promise<(text: string) => number>;
}

interface GptTokenizer {
  countTokens(text: string, options: { readonly disallowedSpecial: ReadonlySet<string> }): number;
}

interface Tiktoken {
  get_encoding(name: 'o200k_base'): {
    encode(text: string, allowedSpecial: readonly string[], disallowedSpecial: readonly string[]): { length: number };
  };
}

const OTHERS: readonly Other[] = [
  {
    id: 'gptTokenizer',
    label: 'gpt-tokenizer',
    async make() {
      const tokenizer = await load<GptTokenizer>('gpt-tokenizer/encoding/o200k_base');
      const options = { disallowedSpecial: new Set<string>() };
      return (text) => tokenizer.countTokens(text, options);
    },
  },
  {
    id: 'tiktoken',
    label: 'tiktoken (wasm)',
    async make() {
      const encoding = (await load<Tiktoken>('tiktoken')).get_encoding('o200k_base');
      return (text) => encoding.encode(text, [], []).length;
    },
  },
];

/** Token counting beside other libraries on the same texts, first with nothing read, then once more. */
export async function measureTokenizers(context: BenchContext): Promise<Figure[]> {
  context.say('peers: counting');
  const texts = developerMessages(context, context.quick ? 1_000 : 3_000).map(({ text }) => text);
  const size = Buffer.byteLength(texts.join('')) / 1_000_000;
  let counts: number[] = [];
  const counter = new BpeCounter(ranks);
  const ourCold = await cpuMs(() => (counts = texts.map((text) => counter.count(text))));
  const ourWarm = await cpuMs(() => texts.forEach((text) => counter.count(text)));
  const figures: Figure[] = [];
  for (const { id, label, make } of OTHERS) {
    let count: (text: string) => number = () => 0;
    let theirs: number[] = [];
    const cold = await cpuMs(async () => {
      count = await make();
      theirs = texts.map((text) => count(text));
    });
    const warm = await cpuMs(() => texts.forEach((text) => count(text)));
    const against = { unit: '×', target: { atLeast: 1 }, guard: { worse: 'lower', margin: 0.45 } } as const;
    figures.push(
      { id: `peers.${id}.warm`, label: `${label}: counting, warm`, value: (size / warm) * 1_000, unit: 'MB/s' },
      { id: `peers.${id}.ratioWarm`, label: 'our counting against it, warm', value: warm / ourWarm, ...against },
      { id: `peers.${id}.ratioCold`, label: 'the same, cold', value: cold / ourCold, ...against },
      {
        id: `peers.${id}.difference`,
        label: 'texts on which both differ',
        value: theirs.filter((n, at) => n !== counts[at]).length,
        unit: 'count',
        target: { atMost: 0 },
      },
    );
  }
  return figures;
}
