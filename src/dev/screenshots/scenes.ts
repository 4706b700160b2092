import type { Page } from 'playwright-core';

/** A picture: an address of the console, and what is done there before it is taken. */
export interface Scene {
  name: string;
  path: string;
  prepare?: (page: Page) => Promise<void>;
}

const ask = async (page: Page, query: string): Promise<void> => {
  const before = await page.locator('.turn').count();
  await page.fill('#question', query);
  await page.keyboard.press('Enter');
  await page.locator(`.turn >> nth=${before}`).and(page.locator('[aria-busy="false"]')).waitFor();
};

/** What `npm run screenshots` takes, each in both themes and narrow. A further view adds its states here. */
export const SCENES: readonly Scene[] = [
  {
    name: 'ask-first-run',
    path: '/',
    prepare: (page) => page.locator('.suggestions button >> nth=2').waitFor({ timeout: 20_000 }),
  },
  {
    name: 'ask-answer',
    path: '/',
    prepare: async (page) => {
      await ask(page, 'How do I reset the dashboard password?');
      await page.locator('.statement >> nth=1').locator('.chip').click();
    },
  },
  { name: 'ask-off-topic', path: '/', prepare: (page) => ask(page, 'How do I cook rice?') },
  { name: 'ask-back', path: '/', prepare: (page) => ask(page, 'It does not work') },
  { name: 'ask-table', path: '/', prepare: (page) => ask(page, 'How long does shipping to Canada take?') },
];
