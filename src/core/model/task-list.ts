import type { Task } from './task.ts';

export interface ListedStep {
  readonly text: string;
  readonly done: boolean;
  /** Marked as in progress. */
  readonly isCurrent?: true;
}

const FENCE = /^ {0,3}(```+|~~~+)/;
const ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX~])\][ \t]/;

/** The lines of a message outside of code. Linear in its length. */
function* proseLines(source: string): Generator<string> {
  let fence: string | undefined;
  for (const line of source.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && /^[`~ \t\r]*$/.test(line)) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else yield line;
  }
}

/** The task list items (`- [ ] …`, `1. [x] …`, `- [~] …`) of a message outside of code, in order. */
export function listedSteps(source: string): ListedStep[] {
  if (!source.includes('[')) return [];
  const steps: ListedStep[] = [];
  for (const line of proseLines(source)) {
    const item = line.trim();
    const found = ITEM.exec(item);
    const text = found ? item.slice(found[0].length).trim() : '';
    if (!found || text === '') continue;
    const mark = found[1];
    steps.push({ text, done: mark === 'x' || mark === 'X', ...(mark === '~' && { isCurrent: true }) });
  }
  return steps;
}

/** The line with which a model is asked to end the response that reaches the goal. */
export const GOAL_REACHED = '[goal reached]';

/** The requested line, also as models translate it that answer in the user's language. */
const GOAL_REACHED_LINES: ReadonlySet<string> = new Set([
  GOAL_REACHED,
  '[ziel erreicht]',
  ...['[objetivo alcanzado]', '[objetivo cumplido]', '[objetivo logrado]'],
  ...['[objetivo alcançado]', '[objetivo atingido]', '[objetivo cumprido]'],
  '[objectif atteint]',
  '[obiettivo raggiunto]',
  ...['[目標達成]', '[目標達成済み]', '[目标达成]', '[目标已达成]'],
]);

/** Reports of completion in English, where a remark may follow ("Everything is done so you can …"). */
const DONE_BEFORE_REMARK =
  /^(?:(?:and |so |now |with that,? )?(?:everything|all (?:of it|(?:the )?(?:steps|tasks|items|work))|the (?:whole )?(?:task|goal|work|job))(?: (?:here|on (?:the|your) list))? (?:is|are|has been|have been)(?: now| all)? (?:done|finished|complete|completed|reached)|all done|task (?:is )?(?:complete|completed|done|finished))\b/;

/** Reports of completion by language, after which the clause ends: what follows often limits them ("… for phase 1"). */
const DONE_CLAUSES: readonly RegExp[] = [
  // The English ones make up the sentence: "All 3 items are done, 4 remain."
  /^(?:all (?:the )?(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,2}) (?:steps|tasks|items) (?:are|have been)(?: now| all)? (?:done|finished|complete|completed)|your (?:whole )?(?:task|goal|work|job) (?:is|has been)(?: now)? (?:done|finished|complete|completed|reached)|(?:we|you|i)(?: have|['’]ve)? reached (?:the|your|our) goal)[.!]*$/,
  /^(?:todo (?:está|queda|quedó|ha quedado) (?:listo|hecho|terminado|completado|completo)|(?:la )?tarea (?:está |ha sido |queda )?(?:terminada|completada|finalizada)|(?:el )?objetivo (?:está|ha sido|queda|fue) (?:alcanzado|cumplido|logrado)|(?:(?:se ha|hemos|he) (?:alcanzado|cumplido|logrado)|se (?:alcanzó|cumplió|logró)) el objetivo|tod(?:os los pasos|as las tareas|as las etapas) (?:están|quedan|han sido|fueron) (?:hech|terminad|completad|finalizad)[oa]s)/,
  /^(?:tudo (?:está )?(?:pronto|feito|concluído|terminado)|(?:a )?tarefa (?:está |foi )?(?:concluída|terminada|finalizada)|(?:o )?objetivo (?:está|foi) (?:alcançado|atingido|cumprido)|tod(?:as as etapas|as as tarefas|os os passos) (?:estão|foram) (?:feit|concluíd|terminad|completad|finalizad)[oa]s)/,
  /^(?:(?:damit |jetzt )?(?:ist )?(?:alles|die (?:ganze )?aufgabe)(?: ist)?(?: jetzt| nun)? (?:fertig|erledigt|abgeschlossen)|(?:damit |jetzt )ist (?:alles|die aufgabe) (?:fertig|erledigt|abgeschlossen)|(?:das ziel ist|(?:damit|jetzt) ist das ziel)(?: jetzt| nun| damit)? erreicht|(?:alle (?:schritte|aufgaben|punkte) sind|(?:damit|jetzt) sind alle (?:schritte|aufgaben|punkte))(?: jetzt| nun| damit)? (?:fertig|erledigt|abgeschlossen))/,
  /^(?:tout est (?:terminé|fini|prêt|fait)|(?:la )?tâche (?:est )?(?:terminée|achevée|finie)|l['’]objectif (?:est|a été) atteint|toutes les (?:étapes|tâches) (?:sont|ont été) (?:terminées|achevées|finies|faites))/,
  /^(?:tutto (?:è )?(?:fatto|finito|pronto|completato)|(?:il compito|l['’]attività) è (?:completat|finit|terminat)[oa]|l['’]obiettivo è (?:stato )?raggiunto)/,
  /^(?:(?:(?:すべて|全て)(?:が|の\S{1,8}[がは])?|(?:これで)?(?:タスク|作業)(?:は|が)(?:すべて)?)(?:完了(?:し(?:た|ました|ています)|いたしました|です)?|終わり(?:ました|です)?)|(?:これで)?目標[はがを](?:すべて)?達成(?:し|でき|され)(?:た|ました))/,
  /^(?:全部(?:都)?(?:已(?:经)?)?完成|(?:所有\S{1,8}|任务)(?:都)?已(?:经)?(?:全部)?完成|(?:这个)?目标(?:都)?已(?:经)?(?:达成|实现|完成))[了啦]?/,
];

/** The end of a clause, or a word that adds to it. */
const CLAUSE_END = /^(?:\s*(?:$|[.…!,;:–—，、；：。！\p{So}]|-\s)| (?:und|y|e|et) |ので|并)/u;

/** An exception, a negation, or a question, which means that a sentence doesn't report completion. */
const NOT_YET: readonly RegExp[] = [
  /[?？]\s*$/,
  /\b(?:not|(?:is|are|has|have)n['’]t|except|but|until|almost|nearly)\b/,
  /\b(?:salvo|excepto|pero|mas|exceto|außer|bis auf|aber|nicht|sauf|mais|tranne)\b/,
  /まだ|以外|ただし|、(?:残り|あと)は/,
  /没有?完成|未完成|还没|尚未|但是|[，；、（(]\s*(?:除了|但(?!愿)|[只还]剩|[只还]差)/,
];

/** What limits a report to a numbered part: "for phase 1". */
const PART =
  /^[\s,]*(?:for|with|of|in|für|mit|von|para|con|en|na|da|pour|dans|de|per) (?:the |la |el |l['’])?(?:phase|part|step|stage|milestone|fase|parte|paso|passo|etapa|étape|teil|schritt) \d|^[，、]?第[一1](?:阶段|步|部分|期)/;

/** A condition or an exception, which counts in the clause of a report and as the first word after it. */
const CONDITION =
  /\b(?:once|when|if|unless|only|menos|cuando|quando|assim|falta[mn]?|s[oó]lo|só|sobald|wenn|falls|soweit|was|nur|lorsque|quand|dès|appena)(?!\p{L})/u;

/** Whether a sentence in lower case reports that everything is done. */
function reportsCompletion(sentence: string): boolean {
  if (NOT_YET.some((pattern) => pattern.test(sentence))) return false;
  const after = (done: RegExp): string | undefined => {
    const found = done.exec(sentence)?.[0];
    return found === undefined ? undefined : sentence.slice(found.length);
  };
  const rest =
    after(DONE_BEFORE_REMARK) ?? DONE_CLAUSES.map(after).find((text) => text !== undefined && CLAUSE_END.test(text));
  return rest !== undefined && !PART.test(rest) && !CONDITION.test(/^[^,;:]*(?:[,;:]\s*\p{L}*)?/u.exec(rest)![0]);
}

/** An unticked item of a list. */
const OPEN_ITEM = /^(?:[-*+]|\d{1,3}[.)])\s+\[ \]/;

/** Whether a response says that the task's goal is reached, by the requested line or in words. */
export function saysGoalReached(response: string): boolean {
  for (const untrimmed of proseLines(response)) {
    const line = untrimmed.trim();
    if (line.length > MAX_LINE_LENGTH || OPEN_ITEM.test(line)) continue;
    if (GOAL_REACHED_LINES.has(line.replace(/^[\s*_`]+|[\s*_`.]+$/g, '').toLowerCase())) return true;
    for (const part of line.split(/(?<=[.!?。！？])/u)) {
      const sentence = part
        .replace(/[*_]+/g, '')
        .replace(/^[^\p{L}]+/u, '')
        .trim()
        .toLowerCase();
      if (sentence.length <= MAX_REPORT_LENGTH && reportsCompletion(sentence)) return true;
    }
  }
  return false;
}

/** In UTF-16 units, so that patterns don't run on huge lines. */
const MAX_LINE_LENGTH = 2_000;

/** Maximum length of a sentence that reports completion, in UTF-16 units. */
const MAX_REPORT_LENGTH = 120;

/** The index of the pending step that a response marks as in progress. */
export function stepReportedCurrent({ steps }: Task, response: string): number | undefined {
  const current = new Set(
    listedSteps(response).flatMap(({ text, isCurrent }) => (isCurrent ? [normalized(text)] : [])),
  );
  const at = steps.findIndex(({ text, status }) => status === 'pending' && current.has(normalized(text)));
  return at === -1 ? undefined : at;
}

/** The indexes of open steps that a response ticks, also in other markup or case, or with a remark after them. */
export function stepsReportedDone({ steps }: Task, response: string): number[] {
  const done = listedSteps(response)
    .filter((listed) => listed.done)
    .map((listed) => normalized(listed.text));
  const isReported = (step: string): boolean => {
    const wanted = normalized(step);
    return wanted !== '' && done.some((one) => one.startsWith(wanted) && REMARK.test(one.slice(wanted.length)));
  };
  return steps.flatMap(({ text, status }, index) =>
    (status === 'pending' || status === 'in_progress') && isReported(text) ? [index] : [],
  );
}

/** A remark after a step, or nothing. */
const REMARK = /^(?:$| ?(?:[:(–—]|- ))/;

/** A step without emphasis, code marks, and the full stop, for comparison. */
const normalized = (text: string): string => {
  const plain = text
    .replace(/[*_`~]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
  let end = plain.length;
  while (end > 0 && '.!。'.includes(plain[end - 1]!)) end--;
  return plain.slice(0, end);
};
