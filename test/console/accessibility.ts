import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type * as Axe from 'axe-core';
import type { Frame, Page } from 'playwright-core';

const SCRIPT = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Violations of WCAG 2.2 A and AA on the page, or in one frame of it, in one theme, each with the element that has it. */
export const violationsOf = async (
  page: Page,
  theme: 'light' | 'dark',
  frame: Frame = page.mainFrame(),
): Promise<string[]> => {
  await page.emulateMedia({ colorScheme: theme });
  // By the debugger, since the policy of the page forbids other scripts.
  await frame.evaluate(SCRIPT);
  const found = await frame.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof Axe }; // the script above has put it there
    // A colour on its way from one theme to the other is neither's.
    const changes = document.getAnimations().filter((each) => each instanceof CSSTransition);
    await Promise.all(changes.map(({ finished }) => finished.catch(() => undefined)));
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await axe.run(document, { runOnly: tags });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary })),
    );
  });
  return found.map(({ id, html, failureSummary }) => `${theme}: ${id} ${html.slice(0, 200)} ${failureSummary}`);
};

/** Elements that are wider than the window. */
export const overflowOf = (page: Page | Frame): Promise<string[]> =>
  page.evaluate(() => {
    const { clientWidth } = document.documentElement;
    const { scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const over = [...document.querySelectorAll('main *')]
      .filter(
        (element) =>
          element.getBoundingClientRect().right > clientWidth + 1 && element.closest('.scrolls, pre') === null,
      )
      .map(({ outerHTML }) => outerHTML.slice(0, 160));
    // What is placed by itself may also lie in what scrolls.
    return over.length > 0 ? over : [`something is ${scrollWidth - clientWidth} wider than the page`];
  });
