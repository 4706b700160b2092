/** `npx constellation screenshots`: pictures of the console. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { orFail, readCommandLine } from '../../tools/command-line.ts';
import { ensureInstalled } from '../../tools/stand-ins/ensure-installed.ts';
import { deskVariables } from '../../tools/stand-ins/helpdesks/desk-variables.ts';
import { serveAgentPage } from './agent-page.ts';
import { launchChromium } from './launch-chromium.ts';
import { keepPastAnswers } from './past-answers.ts';
import { PANEL_SCENES, type PanelScene, QUESTIONS, SCENES } from './scenes.ts';

const HELP = `Starts the product with the sample knowledge base, opens the views of the console and the panel for agents in Chromium, and writes a
picture of each in light and dark colours, and 390 pixels wide.

  npx constellation screenshots [word ...] [--folder <folder>] [--docs]

  word      only scenes whose name contains one of these words
  --folder  where the pictures go (default dist/screenshots)
  --docs    only the pictures that README.md and docs/ show, into docs/screenshots
  --help    this text
`;

const WAIT_MS = 250;
const MAX_WAITS = 40;

const FORMS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  narrow: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
};

const { values, positionals } = readCommandLine(HELP, {
  options: { folder: { type: 'string', default: 'dist/screenshots' }, docs: { type: 'boolean' } },
  maxPositionals: 100,
});
const folder = resolve(values.docs === true ? 'docs/screenshots' : values.folder);
mkdirSync(folder, { recursive: true });
orFail(() => ensureInstalled(['chromium'], { reason: 'it takes the pictures' }));
const { startProduct } = await import('../../tools/run/product.ts');
const { startHelpdesks } = await import('../../tools/stand-ins/helpdesks/start-helpdesks.ts');
const [helpdesks, agentPage] = await Promise.all([startHelpdesks(), serveAgentPage()]);
const { chatwoot, zendesk } = helpdesks.desks;
const product = await startProduct({
  kb: 'sample',
  port: 0,
  webSearch: 'local',
  helpdesks: {
    ...deskVariables({ default: [chatwoot, zendesk] }),
    HANDOVER: '{"default": "list"}',
  },
  allVars: { PANEL_ORIGINS: agentPage.origin },
});
const browser = await launchChromium();
try {
  await product.sync({ full: true });
  await keepPastAnswers(product, QUESTIONS, { days: 29, judged: 0.5 });
  for (const desk of [chatwoot, zendesk])
    desk.deliverTo(new URL(`/webhooks/${desk.id}`, product.url).href);
  if (values.docs !== true)
    for (const scene of PANEL_SCENES.filter(isWanted)) await picturePanel(scene);
  helpdesks.faults.always({ kind: 'status', status: 401 }, '/zendesk');
  for (const desk of [chatwoot, zendesk]) {
    for (const message of [
      'My Apollo shows 0 H/s since the update.',
      'How do I reset the dashboard password?',
    ])
      desk.createTicket({ message });
  }
  const article = '/api/kb/articles/guides/opening-hours.md';
  for (const hours of ['9:00 to 17:00', '8:00 to 18:00']) {
    const content = `# Opening hours\n\nThe shop is open on weekdays.\n\n- Shop: ${hours}\n- Support: 9:00 to 17:00\n`;
    await product.fetch(article, {
      method: 'PUT',
      body: JSON.stringify({ title: 'Opening hours', content }),
    });
    // It is published within some seconds.
    await product.sync({});
  }
  await product.fetch('/v1/support/requests', {
    method: 'POST',
    body: JSON.stringify({
      idempotency_key: 'a-visitor-of-a-page',
      email: 'dana.ortiz@example.net',
      consent: true,
      message: 'My Apollo is loud since the update. Can somebody call me?',
      conversation: [
        { question: 'Why is my Apollo loud?', answer: 'No article answers this question.' },
      ],
    }),
  });
  for (const scene of SCENES.filter(
    (each) => isWanted(each) && (each.inDocs !== undefined || values.docs !== true),
  )) {
    for (const [form, options] of Object.entries(FORMS)) {
      if (values.docs === true && form !== scene.inDocs) continue;
      const context = await browser.newContext({
        locale: 'en-GB',
        reducedMotion: 'reduce',
        ...options,
      });
      const page = await context.newPage();
      await page.goto(
        new URL(`${scene.path}#key=${encodeURIComponent(product.key)}`, product.url).href,
      );
      await page.locator('main h1').waitFor();
      await scene.prepare?.(page);
      const path = join(
        folder,
        values.docs === true ? `${scene.name}.webp` : `${scene.name}-${form}.png`,
      );
      if (values.docs === true) writeFileSync(path, await webpOf(page));
      else await page.screenshot({ path });
      console.log(path);
      await context.close();
    }
  }
} finally {
  await browser.close();
  await product.stop();
  await helpdesks.stop();
  await agentPage.close();
}

function isWanted({ name }: { name: string }): boolean {
  return positionals.length === 0 || positionals.some((word) => name.includes(word));
}

/** The panel in the page of its helpdesk, as an agent sees it who has entered a key. */
async function picturePanel({
  name,
  helpdesk,
  message,
  answer,
  prepare,
}: PanelScene): Promise<void> {
  const ticketId =
    message === undefined ? '999999' : helpdesks.desks[helpdesk].createTicket({ message }).ticketId;
  const draft = `/v1/support/tickets/draft?${new URLSearchParams({ helpdesk, ticket_id: ticketId })}`;
  for (let attempt = 0; message !== undefined && attempt < MAX_WAITS; attempt += 1) {
    if ((await product.fetch(draft)).ok) break;
    await setTimeout(WAIT_MS);
  }
  for (const [form, options] of Object.entries(FORMS)) {
    const context = await browser.newContext({
      locale: 'en-GB',
      reducedMotion: 'reduce',
      ...options,
    });
    const page = await context.newPage();
    if (answer !== undefined) await page.route('**/v1/support/tickets/draft?*', answer);
    await page.goto(agentPage.urlOf(new URL(`/panel/${helpdesk}`, product.url).href, ticketId));
    const panel = page.frameLocator('iframe');
    await panel.getByLabel('API key').fill(product.key);
    await panel.getByRole('button', { name: 'Sign in' }).click();
    await prepare(panel);
    const path = join(folder, `${name}-${form}.png`);
    await page.locator('iframe').screenshot({ path });
    console.log(path);
    await context.close();
  }
}

/** A third of the size of a PNG, which a repository keeps for ever. */
async function webpOf(page: Page): Promise<Buffer> {
  const debug = await page.context().newCDPSession(page);
  const { data } = await debug.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  return Buffer.from(data, 'base64');
}
