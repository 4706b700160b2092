import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type * as z from 'zod';
import { type AgentPage, serveAgentPage } from '../../../research/screenshots/agent-page.ts';
import { launchChromium } from '../../../research/screenshots/launch-chromium.ts';
import type { Product } from '../../../tools/run/product.ts';
import { deskVariables } from '../../../tools/stand-ins/helpdesks/desk-variables.ts';
import {
  type LocalHelpdesks,
  startHelpdesks,
} from '../../../tools/stand-ins/helpdesks/start-helpdesks.ts';
import {
  AUDIENCE,
  CLIENT_ID,
  type LocalIdentityProvider,
  startIdentityProvider,
} from '../../functions/identity-provider-for-test.ts';
import { type Misbehaving, serveMisbehaving } from '../../functions/misbehaving-librarians.ts';
import { send, startEmbedded } from '../../functions/product-for-test.ts';

/** One product and one browser for all tests of the console, from the first test on. */
export let product: Product;
/** Chatwoot and Zendesk are connected and deliver new messages. */
export let helpdesks: LocalHelpdesks;
export let identityProvider: LocalIdentityProvider;
/** Partner librarians, each with one fault. */
let partners: Misbehaving;
/** May show the panel in a frame. */
export let agentPage: AgentPage;
let browser: Browser;
const contexts: BrowserContext[] = [];
/** Errors that a page logged or that were not caught, violations of its policy, and calls of other origins. */
const problems: string[] = [];

export async function startConsole(): Promise<void> {
  [helpdesks, agentPage, identityProvider, partners] = await Promise.all([
    startHelpdesks(),
    serveAgentPage(),
    startIdentityProvider(),
    serveMisbehaving(),
  ]);
  const { chatwoot, zendesk } = helpdesks.desks;
  const variables = {
    ...deskVariables({ default: [chatwoot, zendesk] }),
    HANDOVER: '{"default": "zendesk"}',
  };
  const grants = [{ workspaces: ['default'], capabilities: ['kb:read'] }];
  const signIn = {
    issuer: identityProvider.issuer,
    audience: AUDIENCE,
    client_id: CLIENT_ID,
    grants,
  };
  const allVars = { OIDC_PROVIDERS: JSON.stringify([signIn]), PANEL_ORIGINS: agentPage.origin };
  const starting = startEmbedded({
    webSearch: 'local',
    helpdesks: variables,
    allVars,
    partners: partners.partners,
  });
  [product, browser] = await Promise.all([starting, launchChromium()]);
  await product.sync({ full: true });
  for (const { id, deliverTo } of [chatwoot, zendesk])
    deliverTo(new URL(`/webhooks/${id}`, product.url).href);
}

export async function stopConsole(): Promise<void> {
  await browser?.close();
  await product?.stop();
  await helpdesks?.stop();
  identityProvider?.stop();
  await agentPage?.close();
  await partners?.close();
}

interface PageOptions extends BrowserContextOptions {
  /** What the test itself causes, such as a refused request. */
  expected?: RegExp | undefined;
  /** The only origin that the page may call; any when absent. */
  origin?: string | undefined;
}

/** An isolated page, watched for problems. */
export async function newPage({ expected, origin, ...options }: PageOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  });
  contexts.push(context);
  await context.addInitScript(() => {
    document.addEventListener(
      'securitypolicyviolation',
      ({ violatedDirective, blockedURI, sample }) =>
        console.error(`policy violated: ${violatedDirective} ${blockedURI} ${sample}`),
    );
  });
  const page = await context.newPage();
  const note = (problem: string): void => void (expected?.test(problem) || problems.push(problem));
  page.on('pageerror', ({ message }) => note(message));
  page.on('console', (line) => void (line.type() === 'error' && note(line.text())));
  page.on('request', (request) => {
    const url = request.url();
    if (origin && /^https?:/.test(url) && new URL(url).origin !== origin) note(`request to ${url}`);
  });
  return page;
}

/** A page of the console at an address, with the owner's key in it; with none when `key` is empty. */
export async function open(
  path: string,
  { key = product.key, ...options }: PageOptions & { key?: string } = {},
) {
  const page = await newPage({
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
    origin: product.url.origin,
    ...options,
  });
  await goTo(page, key === '' ? path : `${path}#key=${encodeURIComponent(key)}`);
  return page;
}

/** Changes to another address of the console. */
export function goTo(page: Page, path: string) {
  return page.goto(new URL(path, product.url).href);
}

/** Closes the pages of a test, and fails when one of them had a problem. */
export async function closePages(): Promise<void> {
  const closing = contexts.splice(0).map(async (context) => {
    // A request that a test changes the reply of may still be open.
    await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
    await context.close();
  });
  await Promise.all(closing);
  expect(problems.splice(0)).toEqual([]);
}

/** What the product itself reports at an address of its API, to the owner. */
export async function read<T>(schema: z.ZodType<T>, path: string): Promise<T> {
  return schema.parse(await (await send(product, `GET ${path}`)).json());
}

/** Publishes an edition with this article. */
export async function publish(
  id: string,
  article: { title: string; content: string },
): Promise<void> {
  expect((await send(product, `PUT /api/kb/articles/${id}`, article)).ok).toBe(true);
  await product.sync({});
}

/** Publishes an edition without this article. */
export async function withdraw(id: string): Promise<void> {
  await send(product, `DELETE /api/kb/articles/${id}`);
  await product.sync({ full: true });
}

/** Asks in an open page, and waits until the answer is complete. */
export async function askIn(page: Page, query: string): Promise<void> {
  const before = await page.locator('.turn').count();
  await page.getByLabel('Your question').fill(query);
  await page.keyboard.press('Enter');
  await page.locator(`.turn >> nth=${before}`).and(page.locator('[aria-busy="false"]')).waitFor();
}

/** Opens a page and asks a question in it. */
export async function openAndAsk(query: string): Promise<Page> {
  const page = await open('/ask');
  await askIn(page, query);
  return page;
}

/** Answers the questions of a page with an event stream: `['statement', {...}], ['done', {...}]`. */
export function answerWith(
  page: Page,
  ...events: (readonly [name: string, data: object])[]
): Promise<unknown> {
  return page.route('**/v1/ask', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      headers: { 'access-control-allow-origin': '*' },
      body: events
        .map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
        .join(''),
    }),
  );
}

/** Presses keys, one after the other. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Passes a route's reply on with other members, which depend on it. */
export function changeReply<T extends object>(
  page: Page,
  url: string | RegExp,
  change: (reply: T) => object,
) {
  return page.route(url, async (route) => {
    const response = await route.fetch();
    const reply = (await response.json()) as T; // of the product, by its contract
    await route.fulfill({ response, json: { ...reply, ...change(reply) } });
  });
}
