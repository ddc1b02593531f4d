import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { mathMl } from '../../src/host/chat/math.ts';
import { HOSTILE_MARKDOWN } from '../fixtures/hostile-markdown.ts';
import { hostileMarkdown } from '../fixtures/random-markdown.ts';
import { INIT } from './page-states.ts';
import { servePages } from './standalone-page.ts';

/** Elements and attributes that may be rendered for a message. */
const ELEMENTS = [
  ...['DIV', 'P', 'BR', 'SPAN', 'STRONG', 'EM', 'S', 'CODE', 'PRE', 'BLOCKQUOTE', 'UL', 'OL', 'LI', 'H3', 'HR'],
  ...['TABLE', 'THEAD', 'TBODY', 'TR', 'TH', 'TD', 'BUTTON'],
];
const ATTRIBUTES = [
  ...[
    'class',
    'dir',
    'role',
    'tabindex',
    'title',
    'type',
    'aria-label',
    'aria-expanded',
    'data-action',
    'data-file',
    'start',
  ],
  // For formulas.
  ...['accent', 'accentunder', 'depth', 'display', 'displaystyle', 'fence', 'form', 'height', 'linethickness'],
  ...['lspace', 'mathvariant', 'maxsize', 'minsize', 'movablelimits', 'notation', 'rspace', 'scriptlevel'],
  ...['separator', 'stretchy', 'symmetric', 'voffset', 'width'],
];
const isExpected = (element: string): boolean => ELEMENTS.includes(element) || /^(?:m[a-z]+|none)$/.test(element);

/** What a click may ask the host to open: a web page, or a message of the session. */
const LINK = /^(?:(?:https?|mailto):|threadkeeper:message\/[\w-]+$)/;

/** A scheme or another host, which can't be a path in the workspace. A drive can, which the host checks. */
const NO_PATH = /^[a-z][\w+.-]+:|^\\|^\/[\\/]/i;

/** Simulates the host: records what the page posts, finds every file, and shows one message at a time. */
const EDITOR = `
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));
  window.acquireVsCodeApi = () => ({ getState: () => null, setState() {}, postMessage(m) {
    posted.push(m);
    if (m.body?.type === 'existingFiles') window.postMessage({ type: 'answer', id: m.id, value: m.body.paths }, '*');
    if (m.body?.type === 'renderMath') setFormulas(m);
  } });
  const setFormulas = async ({ id, body }) => {
    const value = await Promise.all(body.formulas.map((formula) => mathMl(formula)));
    window.postMessage({ type: 'answer', id, value }, '*');
    setTimeout(() => (isSet = true), 20);
  };
  let isSet = false;
  let serial = 0;
  window.show = async (text) => {
    const id = 'm' + ++serial;
    posted.length = 0;
    isSet = false;
    const message = { id, role: 'assistant', parts: [{ type: 'text', text }], at: 1, ending: 'complete' };
    window.postMessage({ ...${JSON.stringify(INIT)}, session: 's' + serial, messages: [message] }, '*');
    for (let turn = 0; turn < 6_000 && !document.querySelector('[data-message="' + id + '"] .markdown'); turn++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    const body = document.querySelector('[data-message="' + id + '"] .message-body');
    if (!body) return undefined;
    // File names become links once the host has found the files.
    for (let turn = 0; turn < 200 && body.querySelector('[data-file]:not([role="link"])'); turn++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    for (let turn = 0; turn < 200 && !isSet && body.querySelector('code.math-inline, code.math-display'); turn++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    const all = [...body.querySelectorAll('*')];
    const unasked = posted.filter((m) => m.type === 'request').map((m) => m.body);
    posted.length = 0;
    for (const element of all.slice(0, 500)) if (!element.matches('.text-button')) element.click?.();
    for (const element of all.slice(0, 500)) element.dispatchEvent(new MouseEvent('auxclick', { bubbles: true, button: 1 }));
    return {
      elements: [...new Set(all.map((e) => e.tagName))],
      attributes: [...new Set(all.flatMap((e) => e.getAttributeNames()))],
      unasked,
      asked: posted.filter((m) => m.type === 'request').map((m) => m.body),
      faults: posted.filter((m) => m.type === 'pageFault').map((m) => m.text),
      hidden: /[\\u202a-\\u202e\\u2066-\\u2069\\u200b]/.test(body.textContent),
      ran: window.__ran === 1,
      violations: violations.splice(0),
    };
  };
`;

interface PostedRequest {
  readonly type: string;
  readonly href?: string;
  readonly path?: string;
  readonly paths?: readonly string[];
}

interface Seen {
  readonly elements: readonly string[];
  readonly attributes: readonly string[];
  readonly unasked: readonly PostedRequest[];
  readonly asked: readonly PostedRequest[];
  readonly faults: readonly string[];
  readonly hidden: boolean;
  readonly ran: boolean;
  readonly violations: readonly string[];
}

/** The page asks for existing files and rendered formulas without a click. */
const isUnexpected = ({ type, paths = [] }: PostedRequest): boolean =>
  (type !== 'existingFiles' && type !== 'renderMath') || paths.some((path) => NO_PATH.test(path));

/** Whether a click may not make the page ask for this. */
function isForbidden({ type, href = '', path = '' }: PostedRequest): boolean {
  if (type === 'openLink') return !LINK.test(href);
  if (type === 'openFile') return NO_PATH.test(path);
  return type !== 'codeAction' && type !== 'applyEdits';
}

describe('hostile text in a message', () => {
  const open = servePages();
  let page: Page;
  const requested: string[] = [];
  const events: string[] = [];

  before(async () => {
    ({ page } = await open(null, EDITOR));
    page.on('request', (request) => requested.push(request.url()));
    page.on('dialog', (dialog) => {
      events.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('popup', (popup) => events.push(`window ${popup.url()}`));
    page.on('framenavigated', (frame) => events.push(`navigation ${frame.url()}`));
    page.on('pageerror', (error) => events.push(`error ${error.message}`));
    await page.exposeFunction('mathMl', mathMl);
  });

  /** Checks that the page shows a text and does nothing else, even if everything in it is clicked. */
  async function isHarmless(text: string, name = JSON.stringify(text.slice(0, 300))): Promise<void> {
    const seen = await page.evaluate<Seen | undefined>(`show(${JSON.stringify(text)})`);
    assert.ok(seen, `not shown: ${name}`);
    const { ran, faults, violations, hidden } = seen;
    assert.deepEqual(
      { ran, faults, violations, hidden },
      { ran: false, faults: [], violations: [], hidden: false },
      name,
    );
    const unexpected = [
      ...[...seen.unasked.filter(isUnexpected), ...seen.asked.filter(isForbidden)],
      ...seen.elements.filter((each) => !isExpected(each)),
      ...seen.attributes.filter((each) => !ATTRIBUTES.includes(each)),
    ];
    assert.deepEqual(unexpected, [], name);
  }

  it('is covered by at least 200 samples', () =>
    assert.ok(new Set(HOSTILE_MARKDOWN).size >= 200, `${HOSTILE_MARKDOWN.length} texts`));

  it('runs nothing, loads nothing, navigates nowhere, and requests nothing until it is clicked', async () => {
    for (const text of HOSTILE_MARKDOWN) await isHarmless(text);
    assert.deepEqual(events, []);
    const isIconFont = (url: string): boolean => url === `${page.url()}codicon.ttf`;
    const others = requested.filter((each) => !isIconFont(each));
    assert.deepEqual(others, []);
  });

  it('runs nothing, loads nothing and navigates nowhere in random combinations', async () => {
    const count = process.env['THREADKEEPER_LONG'] === undefined ? 100 : 8_000;
    const seed = process.env['THREADKEEPER_LONG'] === undefined ? 20261123 : Date.now() % 2 ** 31;
    console.log(`      ${count} documents, seed ${seed}`);
    for (const text of fc.sample(hostileMarkdown, { numRuns: count, seed }))
      await isHarmless(text, `seed ${seed}: ${JSON.stringify(text.slice(0, 300))}`);
    assert.deepEqual(events, []);
  }).timeout(3_600_000);

  it('is shown as source if it cannot be rendered, while other messages are still rendered', async () => {
    await page.evaluate(`{
      const { replaceChildren } = Element.prototype;
      Element.prototype.replaceChildren = function (...nodes) {
        if (nodes.some((node) => node.textContent?.includes('CANNOT-BE-DRAWN') && node.querySelector?.('strong'))) throw new Error('planted');
        return replaceChildren.apply(this, nodes);
      };
    }`);
    // Don't await `show`, which waits until the message is rendered.
    await page.evaluate('void show("All **CANNOT-BE-DRAWN**.")');
    await page.getByText('This message can’t be displayed').waitFor();
    await page.locator('.plain', { hasText: 'All **CANNOT-BE-DRAWN**.' }).waitFor();
    await page.getByRole('button', { name: 'Show Log' }).click();
    const told = await page.evaluate<string>('JSON.stringify(posted)');
    assert.match(told, /pageFault.*planted/);
    assert.match(told, /openLog/);
    const seen = await page.evaluate<Seen | undefined>('show("All **well** again.")');
    assert.ok(seen?.elements.includes('STRONG'));
  });

  it('leaves the page able to render the next message', async () => {
    const seen = await page.evaluate<Seen | undefined>('show("All **well**.")');
    assert.ok(seen?.elements.includes('STRONG'));
  });
});
