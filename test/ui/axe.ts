import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';
import type { ChatPage } from './chat-page.ts';
import { eventually } from './eventually.ts';
import type { Workbench } from './workbench.ts';

/** Themes by the class that VS Code gives a page. */
export const THEMES = [
  { name: 'light', setting: 'Default Light Modern' },
  { name: 'dark', setting: 'Default Dark Modern' },
  { name: 'high-contrast', setting: 'Default High Contrast' },
  { name: 'high-contrast-light', setting: 'Default High Contrast Light' },
] as const;

/** Widths of a page in a narrow and a wide Side Bar, in CSS pixels. */
const NARROW = [300, 480];
/** Width of VS Code's Activity Bar, which takes the rest of the window, in CSS pixels. */
const ACTIVITY_BAR = 48;
/** More than the margins and borders around the page, in CSS pixels. */
const MAX_MARGIN = 20;

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The frame of our page. */
export async function pageFrame(workbench: Workbench): Promise<Frame> {
  const root = await workbench.webview().locator('#root').elementHandle();
  return (await root?.ownerFrame()) ?? assert.fail('the page has no frame');
}

/** Accessibility violations in our page, as text. */
export const violations = async (workbench: Workbench): Promise<string[]> => violationsIn(await pageFrame(workbench));

/** Accessibility violations in a page that isn't in the workbench, as text. */
export async function violationsIn(page: Page | Frame): Promise<string[]> {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  const found = await page.evaluate<{ violations: Violation[] }>('axe.run()');
  return found.violations.map((one) => `${one.id}: ${one.help}\n${one.nodes.map((node) => node.html).join('\n')}`);
}

export async function showTheme(chat: ChatPage, { name, setting }: (typeof THEMES)[number]): Promise<void> {
  await chat.changeSettings({ 'workbench.colorTheme': setting, 'workbench.preferredDarkColorTheme': setting });
  await chat.page.locator(`body.vscode-${name}`).waitFor();
}

/** Checks the page in each theme and width for accessibility violations and clipped text. */
export async function checkThemesAndWidths(
  chat: ChatPage,
  name: string,
  check: (look: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { workbench } = chat;
  const { page } = workbench;
  const size = page.viewportSize();
  assert.ok(size);
  const widths: readonly number[] = [size.width - ACTIVITY_BAR, ...NARROW];
  await workbench.runCommand('View: Close Primary Side Bar');
  const frame = await pageFrame(workbench);
  for (const theme of THEMES) {
    await showTheme(chat, theme);
    for (const width of widths) {
      await page.setViewportSize({ ...size, width: width + ACTIVITY_BAR });
      await frame.waitForFunction(([least, most]) => least < innerWidth && innerWidth <= most, [
        width - MAX_MARGIN,
        width,
      ] as const);
      const look = `${name}-${theme.name}-${width}`;
      await workbench.screenshot(look);
      assert.deepEqual(await violations(workbench), [], look);
      await check(look);
      await eventually(async () =>
        assert.equal(
          await frame.locator('.chat').evaluate((element) => element.scrollWidth - element.clientWidth),
          0,
          `nothing is cut: ${look}`,
        ),
      );
    }
    await page.setViewportSize(size);
  }
  await chat.changeSettings({});
}
