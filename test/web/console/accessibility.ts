import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type * as Axe from 'axe-core';
import type { Frame, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const SCRIPT = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that depend on the theme. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

/** The page, or one frame of it, violates no rule of WCAG 2.2 A and AA, in both themes, and fits into a width. */
export async function expectAccessible(
  page: Page,
  { width, frame = page.mainFrame() }: { width?: number; frame?: Frame } = {},
): Promise<void> {
  // By the debugger, since the policy of the page forbids other scripts.
  if (!(await frame.evaluate(() => 'axe' in globalThis))) await frame.evaluate(SCRIPT);
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    expect([theme, await violationsIn(frame, theme === 'light' ? LEVELS : COLOURS)]).toEqual([
      theme,
      [],
    ]);
  }
  if (width === undefined) return;
  await page.setViewportSize({ width, height: 844 });
  await expectToFit(frame);
}

const violationsIn = (frame: Frame, runOnly: string[]): Promise<unknown[]> =>
  frame.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { axe: typeof Axe }; // the script above has put it there
    // A colour on its way from one theme to the other is neither's.
    const changes = document.getAnimations().filter((each) => each instanceof CSSTransition);
    await Promise.all(changes.map(({ finished }) => finished.catch(() => undefined)));
    const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id} ${html.slice(0, 200)} ${failureSummary}`),
    );
  }, runOnly);

/** Nothing is wider than the window. */
export async function expectToFit(page: Page | Frame): Promise<void> {
  const wider = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const over = [...document.querySelectorAll('main *')].filter(
      (element) =>
        element.getBoundingClientRect().right > clientWidth + 1 &&
        !element.closest('.scrolls, pre'),
    );
    // What is placed by itself may also lie in what scrolls.
    return [scrollWidth - clientWidth, ...over.map(({ outerHTML }) => outerHTML.slice(0, 160))];
  });
  expect(wider).toEqual([]);
}

/** The place can be seen, without scrolling. */
export function expectInView(page: Page, locator: Locator): Promise<void> {
  return expect
    .poll(async () => {
      const box = await locator.boundingBox();
      const height = page.viewportSize()?.height ?? 0;
      return box !== null && box.y >= 0 && box.y + box.height <= height;
    })
    .toBe(true);
}
