import { plain } from './closed-words.ts';
import { stemOf } from './stem.ts';

/**
 * Words that summaries of developers' talk use for one another: each line is one meaning. Opposites must never meet in
 * a line, and a word stands in one line alone.
 */
const MEANINGS = [
  // What became of a proposal or a thing.
  'choose chose chosen pick select settle decide adopt opt',
  'reject decline refuse refused dismiss drop dropped abandon discard scrap',
  'allow permit accept tolerate enable',
  'forbid prohibit ban disallow prevent',
  'require need must demand expect mandatory necessary',
  'suggest propose recommend advise',
  'request ask want wish',
  'approve approval consent confirm agree',
  'postpone defer delay later',
  'plan schedule intend',
  'finish complete done implement ready',
  'fail failure failed crash break broke broken die died',
  'succeed success successful pass passed',
  // What is done to code, data and machines.
  'delete remove erase wipe purge clear',
  'add insert introduce include append',
  'change alter modify adjust edit',
  'replace swap substitute exchange',
  'fix repair correct solve resolve',
  'create make made build built generate produce',
  'write wrote written store save persist record',
  'keep kept retain preserve stay remain maintain',
  'send sent deliver emit',
  'notify alert message inform report',
  'receive get got obtain',
  'read load fetch retrieve query',
  'show display present render',
  'run execute job task',
  'start begin launch boot',
  'stop end halt terminate',
  'move migrate transfer port',
  'deploy ship release roll rollout',
  'check verify validate test',
  'measure benchmark',
  'limit cap restrict maximum max',
  'use employ utilise utilize apply',
  'rename retitle',
  'merge combine join',
  'cancel abort',
  'compress compression shrink',
  // Things.
  'error fault bug defect problem issue',
  'cause reason because due since',
  'server machine host box',
  'database db',
  'directory folder',
  'setting configuration config option parameter',
  'library package dependency module',
  'function method routine',
  'customer client buyer',
  'person people somebody someone anyone user',
  'mail email e-mail',
  'website site webshop shop',
  'picture image photo',
  'password credential secret',
  'cost price fee',
  'memory ram',
  'phone mobile smartphone',
  'computer laptop desktop',
  'separate dedicated',
  'adjacent neighbouring consecutive back-to-back',
  'copy duplicate',
  // How things are.
  'first initial initially originally',
  'last final finally newest latest',
  'previous previously before formerly earlier',
  'current currently now today',
  'fast quick rapid',
  'slow sluggish',
  'big large huge',
  'small little tiny',
  'same identical unchanged equal',
  'missing absent lack lacking',
  'manual manually hand',
  'automatic automatically',
  'most bulk majority',
  'whole entire',
  'good fine well',
  'bad poor useless',
];

const MEANING_OF = new Map<string, string>();
for (const line of MEANINGS) {
  const words = line.split(' ').map((word) => stemOf(plain(word)));
  for (const word of words) if (!MEANING_OF.has(word)) MEANING_OF.set(word, words[0]!);
}

/** A stem that stands for all words of the same meaning; the stem itself where none is known. */
export const meaningOf = (stem: string): string => MEANING_OF.get(stem) ?? stem;
