import { isList, isObject, objectsAt, stringOf, textAt, valueAt, type JsonObject } from '../text/json-value.ts';

/** A question in a response of VS Code's chat, and the user's answer, which is empty if there is none. */
export interface AskedQuestion {
  readonly question: string;
  readonly answer: string;
}

export const markdownText = (value: unknown): string => stringOf(value) ?? textAt(value, 'value') ?? '';

/**
 * The question in a part of a response (`IChatQuestionCarousel`, `IChatPlanReview`, and
 * `IChatElicitationRequestSerialized` in microsoft/vscode, chatService.ts). Undefined for other parts and for forms
 * that weren't filled in.
 */
export function askedQuestion(part: JsonObject): AskedQuestion | undefined {
  const { kind, title, message, content } = part;
  if (kind === 'questionCarousel') {
    const questions = objectsAt(part, 'questions').map((question) => ({
      text: markdownText(question['message']) || markdownText(question['title']),
      answer: chosen(valueAt(part, 'data', String(question['id'])), question),
    }));
    const answers = questions.filter(({ answer }) => answer !== '');
    return {
      question: paragraphs(markdownText(message), ...questions.map(({ text }) => text)),
      answer: answers.map(({ text, answer }) => (questions.length === 1 ? answer : `${text}: ${answer}`)).join('\n'),
    };
  }
  if (kind === 'planReview') {
    const answer = textAt(part, 'data', 'feedback') || (textAt(part, 'data', 'action') ?? '');
    return { question: paragraphs(markdownText(title), markdownText(content)), answer };
  }
  const { acceptedResult } = part;
  if (kind !== 'elicitation' && kind !== 'elicitationSerialized') return undefined;
  if (!isObject(acceptedResult)) return undefined;
  const fields = Object.entries(acceptedResult).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`);
  return { question: paragraphs(markdownText(title), markdownText(message)), answer: fields.join('\n') };
}

const paragraphs = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n');

/** The labels of the selected options, and the text that the user entered. */
function chosen(answer: unknown, question: JsonObject): string {
  if (!isObject(answer) && !isList(answer)) return stringOf(answer) ?? '';
  const {
    selectedValue,
    selectedValues = selectedValue,
    freeformValue,
  } = isObject(answer) ? answer : { selectedValue: answer };
  const options = objectsAt(question, 'options');
  const labelOf = (value: unknown): unknown => options.find((option) => option['value'] === value)?.['label'] ?? value;
  return [...[selectedValues].flat().map(labelOf), freeformValue].flatMap((value) => stringOf(value) || []).join(', ');
}
