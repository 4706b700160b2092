import type { Browser, BrowserContext, BrowserContextOptions, Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import type { Product } from '../../src/dev/run/product.ts';
import { type AgentPage, serveAgentPage } from '../../src/dev/screenshots/agent-page.ts';
import { launchChromium } from '../../src/dev/screenshots/launch-chromium.ts';
import { deskVariables } from '../../src/dev/stand-ins/helpdesks/desk-variables.ts';
import { type LocalHelpdesks, startHelpdesks } from '../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import {
  AUDIENCE,
  CLIENT_ID,
  type LocalIdentityProvider,
  startIdentityProvider,
} from '../functions/identity-provider-for-test.ts';
import { startEmbedded } from '../functions/product-for-test.ts';

interface OpenOptions extends BrowserContextOptions {
  /** The key of the page; the owner's when absent, none when empty. */
  key?: string | undefined;
  /** Lines of the browser's console that the test itself causes, such as a refused request. */
  expected?: RegExp | undefined;
}

/** One product and one browser for all tests of the console, with the errors of its pages. */
export interface ConsoleForTest {
  product: Product;
  /** Chatwoot and Zendesk are connected and deliver new messages. */
  helpdesks: LocalHelpdesks;
  browser: Browser;
  identityProvider: LocalIdentityProvider;
  /** May show the panel in a frame. */
  agentPage: AgentPage;
  /** An isolated page at an address that begins with the path. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  /** Closes the pages of a test, and fails when one of them logged an error, broke the policy or called another origin. */
  closePages(): Promise<void>;
  stop(): Promise<void>;
}

export const startConsole = async (): Promise<ConsoleForTest> => {
  const [helpdesks, agentPage] = await Promise.all([startHelpdesks(), serveAgentPage()]);
  const { chatwoot, zendesk } = helpdesks.desks;
  const variables = { ...deskVariables({ default: [chatwoot, zendesk] }), HANDOVER: '{"default": "zendesk"}' };
  const identityProvider = await startIdentityProvider();
  const grants = [{ workspaces: ['default'], capabilities: ['kb:read'] }];
  const signIn = { issuer: identityProvider.issuer, audience: AUDIENCE, client_id: CLIENT_ID, grants };
  const allVars = { OIDC_PROVIDERS: JSON.stringify([signIn]), PANEL_ORIGINS: agentPage.origin };
  const starting = startEmbedded({ webSearch: 'local', helpdesks: variables, allVars });
  const [product, browser] = await Promise.all([starting, launchChromium()]);
  await product.sync({ full: true });
  for (const { id, deliverTo } of [chatwoot, zendesk]) deliverTo(new URL(`/webhooks/${id}`, product.url).href);
  const contexts: BrowserContext[] = [];
  const problems: string[] = [];
  return {
    product,
    helpdesks,
    browser,
    identityProvider,
    agentPage,
    open: async (path, options = {}) => {
      const { context, page } = await newPage(browser, options);
      contexts.push(context);
      watch(page, { origin: product.url.origin, problems, expected: options.expected });
      const key = options.key ?? product.key;
      await page.goto(new URL(key === '' ? path : `${path}#key=${encodeURIComponent(key)}`, product.url).href);
      return page;
    },
    closePages: async () => {
      await Promise.all(contexts.splice(0).map((context) => context.close()));
      expect(problems.splice(0)).toEqual([]);
    },
    stop: async () => {
      await browser.close();
      await product.stop();
      await helpdesks.stop();
      identityProvider.stop();
      await agentPage.close();
    },
  };
};

const newPage = async (browser: Browser, { key: _, expected: __, ...options }: OpenOptions) => {
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      console.error(`policy violated: ${violatedDirective} ${blockedURI} ${sample}`),
    );
  });
  return { context, page: await context.newPage() };
};

interface Watching {
  origin: string;
  problems: string[];
  expected: RegExp | undefined;
}

const watch = (page: Page, { origin, problems, expected }: Watching): void => {
  const note = (problem: string): void => {
    if (expected?.test(problem) !== true) problems.push(problem);
  };
  page.on('pageerror', ({ message }) => note(message));
  page.on('console', (line) => void (line.type() === 'error' && note(line.text())));
  page.on('request', (request) => {
    const url = request.url();
    if (/^https?:/.test(url) && new URL(url).origin !== origin) note(`request to ${url}`);
  });
};

/** Asks in an open page, and waits until the answer is complete. */
export const askIn = async (page: Page, query: string): Promise<void> => {
  const before = await page.locator('.turn').count();
  await page.getByLabel('Your question').fill(query);
  await page.keyboard.press('Enter');
  await page.locator(`.turn >> nth=${before}`).and(page.locator('[aria-busy="false"]')).waitFor();
};

/** Answers a route of the page with an event stream: `[['statement', {...}], ['done', {...}]]`. */
export const fulfilEvents = (route: Route, events: readonly (readonly [name: string, data: object])[]): Promise<void> =>
  route.fulfill({
    contentType: 'text/event-stream',
    body: events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
  });
