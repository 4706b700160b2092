import type { FrameLocator, Page, Route } from 'playwright-core';
import { SAMPLE_CHECKS } from '../../tools/sample/files.ts';

/** A picture: an address of the console, and what is done there before it is taken. */
export interface Scene {
  name: string;
  path: string;
  /** The colours of its picture in README.md or docs/; absent for scenes that are only looked at. */
  inDocs?: 'light' | 'dark';
  prepare?: (page: Page) => Promise<void>;
}

const ask = async (page: Page, query: string): Promise<void> => {
  const before = await page.locator('.turn').count();
  await page.fill('#question', query);
  await page.keyboard.press('Enter');
  await page.locator(`.turn >> nth=${before}`).and(page.locator('[aria-busy="false"]')).waitFor();
};

const NOT_HASHING = 'My Apollo III shows 0 H/s for 3 days. I have already tried restarting it.';
const DANGER = 'There is smoke coming out of my Apollo and it smells burnt! What shall I do?';

const analyse = async (page: Page, message: string): Promise<void> => {
  await page.getByLabel('Message of the customer').fill(message);
  await page.getByRole('button', { name: 'Analyse' }).click();
  await page.locator('.analysis').waitFor({ timeout: 20_000 });
};

/** Asked before the first picture, and on the days before it. */
export const QUESTIONS: readonly string[] = [
  'How do I reset the dashboard password?',
  'How do I swap the fan?',
  'How loud is the Apollo III in Turbo mode?',
  'What does error E30 mean?',
  'Do I lose the warranty if I open the case?',
  'How much electricity does it use a month?',
  'Which port do I have to forward?',
  'It does not work',
  'How do I cook rice?',
  'How many iPhone 17 are in stock?',
];

/** A picture of the panel beside a ticket. */
export interface PanelScene {
  name: string;
  helpdesk: 'chatwoot' | 'zendesk';
  /** What the customer wrote; absent: the ticket has no draft. */
  message?: string;
  /** What its request for the draft gets instead of the draft. */
  answer?: (route: Route) => Promise<void> | undefined;
  prepare: (panel: FrameLocator) => Promise<void>;
}

const withEvidence = async (panel: FrameLocator): Promise<void> => {
  await panel.locator('.draft').waitFor();
  await panel.locator('summary').first().click();
};

const NO_ARTICLE = 'How do I cook rice?';
const PASSWORD = 'How do I reset the dashboard password?';
const STORE_FAILED = {
  code: 'INTERNAL_ERROR',
  message: 'Cannot read the draft: the store answered in another form',
};

export const PANEL_SCENES: readonly PanelScene[] = [
  { name: 'panel-chatwoot', helpdesk: 'chatwoot', message: PASSWORD, prepare: withEvidence },
  { name: 'panel-zendesk', helpdesk: 'zendesk', message: NOT_HASHING, prepare: withEvidence },
  {
    name: 'panel-danger',
    helpdesk: 'zendesk',
    message: DANGER,
    prepare: (panel) => panel.locator('.draft').waitFor(),
  },
  {
    name: 'panel-declined',
    helpdesk: 'chatwoot',
    message: NO_ARTICLE,
    prepare: (panel) => panel.locator('.draft, .state').first().waitFor(),
  },
  {
    name: 'panel-no-draft',
    helpdesk: 'zendesk',
    prepare: (panel) => panel.locator('.state').waitFor(),
  },
  {
    name: 'panel-loading',
    helpdesk: 'chatwoot',
    message: PASSWORD,
    answer: () => undefined,
    prepare: (panel) => panel.locator('.panel [role="status"], .loading').first().waitFor(),
  },
  {
    name: 'panel-failed',
    helpdesk: 'zendesk',
    message: PASSWORD,
    answer: (route) => route.fulfill({ status: 500, json: { error: STORE_FAILED } }),
    prepare: (panel) => panel.locator('.failure').waitFor(),
  },
];

const VIEWS = [
  'home',
  'answers',
  'gaps',
  'checks',
  'knowledge',
  'sync',
  'tickets',
  'intents',
  'librarians',
  'charts',
  'settings',
];
const LONG_WORD =
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(3);

/** Each view while it waits for its data, when these cannot be read, and for a key that may not read them. */
const STATES: readonly Scene[] = VIEWS.flatMap((view) => {
  const opened = async (
    page: Page,
    answer: (route: Route) => Promise<void> | undefined,
  ): Promise<void> => {
    await page.route(/\/(v1|api)\/(?!access)|\/healthz/, answer);
    await page.goto(new URL(`/${view}`, page.url()).href);
    await page.locator('main h1').waitFor();
    await page.waitForTimeout(500);
  };
  const failed = {
    code: 'INTERNAL_ERROR',
    message: 'Cannot read the list: the store answered in another form',
  };
  const refused = { code: 'UNAUTHORIZED', message: 'Cannot use this key: a right is missing' };
  return [
    {
      name: `${view}-loading`,
      path: '/settings',
      prepare: (page: Page) => opened(page, () => undefined),
    },
    {
      name: `${view}-failed`,
      path: '/settings',
      prepare: (page: Page) =>
        opened(page, (route) => route.fulfill({ status: 500, json: { error: failed } })),
    },
    {
      name: `${view}-refused`,
      path: '/settings',
      prepare: (page: Page) =>
        opened(page, (route) =>
          route.fulfill({
            status: 401,
            json: { error: { ...refused, details: { missing: 'some:right' } } },
          }),
        ),
    },
  ];
});

/** What `npx constellation screenshots` takes, each in both themes and narrow. A further view adds its states here. */
export const SCENES: readonly Scene[] = [
  { name: 'home', inDocs: 'light', path: '/', prepare: (page) => page.locator('.tiles').waitFor() },
  {
    name: 'ask-first-run',
    path: '/ask',
    prepare: (page) => page.locator('.suggestions button >> nth=2').waitFor({ timeout: 20_000 }),
  },
  {
    name: 'ask-answer',
    path: '/ask',
    prepare: async (page) => {
      await ask(page, 'How do I reset the dashboard password?');
      await page.locator('.statement >> nth=1').locator('.chip').click();
    },
  },
  {
    name: 'ask-evidence',
    inDocs: 'light',
    path: '/ask',
    prepare: async (page) => {
      await ask(page, 'How long does shipping to Canada take?');
      await page.locator('.statement .chip').first().click();
      await page.evaluate(() => scrollTo(0, 0));
    },
  },
  {
    name: 'ask-waiting',
    path: '/ask',
    prepare: async (page) => {
      await page.route('**/v1/ask', () => undefined);
      await page.fill('#question', 'How do I swap the fan?');
      await page.keyboard.press('Enter');
      await page.locator('.turn[aria-busy="true"]').waitFor();
    },
  },
  {
    name: 'ask-failed',
    path: '/ask',
    prepare: async (page) => {
      const error = {
        code: 'SERVICE_UNAVAILABLE',
        message: 'Cannot answer: the knowledge base is being read',
      };
      await page.route('**/v1/ask', (route) => route.fulfill({ status: 503, json: { error } }));
      await ask(page, 'How do I swap the fan?');
    },
  },
  {
    name: 'ask-long-words',
    path: '/ask',
    prepare: async (page) => {
      const source = {
        name: LONG_WORD,
        url: `https://docs.example.com/${LONG_WORD}`,
        section: LONG_WORD,
      };
      const text = `## ${LONG_WORD}\n\n${LONG_WORD} \`${LONG_WORD}\`\n\n| ${LONG_WORD} | b |\n| --- | --- |\n| 1 | ${LONG_WORD} |`;
      const statements = [
        { text, sources: [{ ...source, quote: LONG_WORD }], support: 0.9, check: 'compared' },
      ];
      const response = {
        answer: text,
        sources: [source],
        confidence: 0.7,
        metadata: { statements },
      };
      await page.route('**/v1/ask', (route) =>
        route.fulfill({
          contentType: 'text/event-stream',
          body: `event: done\ndata: ${JSON.stringify(response)}\n\n`,
        }),
      );
      await ask(page, `What is ${LONG_WORD}?`);
      await page.locator('.statement .chip').first().click();
    },
  },
  {
    name: 'sign-in',
    path: '/ask',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('API key').waitFor();
    },
  },
  { name: 'ask-off-topic', path: '/ask', prepare: (page) => ask(page, 'How do I cook rice?') },
  { name: 'ask-back', path: '/ask', prepare: (page) => ask(page, 'It does not work') },
  {
    name: 'ask-table',
    path: '/ask',
    prepare: (page) => ask(page, 'How long does shipping to Canada take?'),
  },
  {
    name: 'ask-agents',
    path: '/ask',
    prepare: async (page) => {
      await page.selectOption('.ask-form select', 'analytics');
      await ask(page, 'How many iPhone 17 are in stock in each warehouse?');
      await page.locator('.chart').waitFor();
    },
  },
  {
    name: 'ask-prices',
    path: '/ask',
    prepare: async (page) => {
      await page.selectOption('.ask-form select', 'web-search');
      await ask(page, 'Compare our price of the iPhone 17 with other shops');
      await page.locator('.prices').waitFor();
    },
  },
  {
    name: 'trace',
    inDocs: 'dark',
    path: '/ask',
    prepare: async (page) => {
      await ask(page, 'How many iPhone 17 are in stock and what does the warranty cover?');
      await page.locator('.answer-footer button >> text=Trace').click();
      await page.locator('.hop >> nth=1').click();
    },
  },
  {
    name: 'why',
    path: '/ask',
    prepare: async (page) => {
      await ask(page, 'How do I reset the dashboard password?');
      await page.locator('.answer-footer button >> text=Why').click();
      await page.locator('.share').first().waitFor();
    },
  },
  { name: 'why-nothing-asked', path: '/why' },
  {
    name: 'answers',
    path: '/ask',
    prepare: async (page) => {
      for (const query of ['How do I reset the dashboard password?', 'How do I cook rice?'])
        await ask(page, query);
      await page.goto(new URL('/answers', page.url()).href);
      await page.locator('tbody tr >> nth=1').waitFor();
    },
  },
  {
    name: 'answer',
    path: '/answers',
    prepare: async (page) => {
      await page
        .getByRole('link', { name: /password/ })
        .first()
        .click();
      await page.locator('.statement >> nth=1').locator('.chip').click();
    },
  },
  {
    name: 'answer-replay',
    inDocs: 'light',
    path: '/answers?text=stock',
    prepare: async (page) => {
      await page.getByRole('link', { name: /stock/ }).first().click();
      await page.getByLabel('Librarian', { exact: true }).selectOption('navigator');
      await page.getByRole('button', { name: 'Ask again' }).click();
      await page.locator('.difference, .both').first().waitFor({ timeout: 20_000 });
      await page
        .getByRole('heading', { name: 'Ask again' })
        .evaluate((heading) => heading.scrollIntoView());
    },
  },
  {
    name: 'answers-none',
    path: '/answers?text=zzz',
    prepare: (page) => page.locator('.state').waitFor(),
  },
  {
    name: 'gaps',
    path: '/ask',
    prepare: async (page) => {
      await ask(page, 'Can I mount the Zephyr on a wall?');
      await page.getByRole('button', { name: 'Report as gap' }).click();
      await page.getByText('Noted').waitFor();
      await page.goto(new URL('/gaps', page.url()).href);
      await page.locator('.unfold').first().click();
      await page.getByRole('button', { name: 'Ask again' }).click();
      await page.locator('.again .state-mark').waitFor();
    },
  },
  {
    name: 'checks',
    path: '/checks',
    prepare: async (page) => {
      await page.getByLabel('Import').setInputFiles(SAMPLE_CHECKS);
      await page.getByText('30 added').waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('30 green').waitFor();
    },
  },
  { name: 'sync', path: '/sync', prepare: (page) => page.locator('.figures').waitFor() },
  {
    name: 'knowledge',
    path: '/knowledge',
    prepare: (page) => page.locator('tbody tr').first().waitFor(),
  },
  {
    name: 'knowledge-found',
    path: '/knowledge?q=reset+password',
    prepare: (page) => page.locator('.excerpt').first().waitFor(),
  },
  {
    name: 'knowledge-health',
    inDocs: 'light',
    path: '/knowledge?health=all',
    prepare: (page) => page.locator('.findings > li').first().waitFor(),
  },
  {
    name: 'knowledge-article',
    path: '/knowledge?article=network/wifi.md',
    prepare: (page) => page.locator('.excerpt').first().waitFor({ timeout: 20_000 }),
  },
  {
    name: 'knowledge-cited',
    path: '/knowledge?cited=most',
    prepare: (page) => page.locator('tbody tr').first().waitFor(),
  },
  {
    name: 'knowledge-edit',
    path: '/knowledge?article=network/wifi.md&edit',
    prepare: (page) => page.getByLabel('Title').fill('Wi-Fi, changed and not saved'),
  },
  {
    name: 'tickets',
    path: '/tickets',
    prepare: (page) => page.locator('td .question-link').nth(1).waitFor(),
  },
  {
    name: 'ticket',
    inDocs: 'light',
    path: '/tickets',
    prepare: async (page) => {
      await page
        .locator('tr', { hasText: 'draft ready' })
        .locator('.question-link')
        .first()
        .click();
      await page.locator('.draft-sources summary').first().click();
    },
  },
  {
    name: 'tickets-learning',
    path: '/tickets/learning',
    prepare: (page) => page.locator('.lesson, .state').first().waitFor(),
  },
  {
    name: 'operations',
    path: '/operations',
    prepare: async (page) => {
      await page.locator('td .job.dead').nth(1).waitFor();
      await page.locator('td .job.done').nth(1).waitFor();
    },
  },
  {
    name: 'knowledge-editions',
    path: '/knowledge?editions',
    prepare: (page) => page.locator('tbody tr').first().waitFor(),
  },
  {
    name: 'knowledge-edition',
    path: '/knowledge?editions',
    prepare: async (page) => {
      await page.locator('tbody tr >> nth=0').getByRole('link').first().click();
      await page.getByRole('link', { name: 'Show the difference' }).first().click();
      await page.locator('.diff').waitFor();
    },
  },
  {
    name: 'tickets-requests',
    path: '/tickets?ticket_id=none',
    prepare: async (page) => {
      await page.locator('.visitors summary').click();
      await page.locator('.visitors').evaluate((section) => section.scrollIntoView());
    },
  },
  {
    name: 'tickets-none',
    path: '/tickets?ticket_id=none',
    prepare: (page) => page.locator('.state').waitFor(),
  },
  {
    name: 'tickets-analyse',
    inDocs: 'light',
    path: '/tickets/analyse',
    prepare: (page) => analyse(page, NOT_HASHING),
  },
  { name: 'tickets-danger', path: '/tickets/analyse', prepare: (page) => analyse(page, DANGER) },
  {
    name: 'librarians',
    path: '/librarians',
    prepare: (page) => page.locator('.card').first().waitFor(),
  },
  {
    name: 'intents',
    path: '/intents',
    prepare: async (page) => {
      await page.getByLabel('Message of the customer').fill(NOT_HASHING);
      await page.getByRole('button', { name: 'Recognise the intent' }).click();
      await page.locator('.classification').waitFor({ timeout: 20_000 });
    },
  },
  {
    name: 'intents-accuracy',
    path: '/intents',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Measure the accuracy' }).click();
      await page.locator('td .share').first().waitFor({ timeout: 30_000 });
      await page.locator('.table').scrollIntoViewIfNeeded();
      await page
        .getByRole('heading', { level: 2 })
        .last()
        .evaluate((heading) => heading.scrollIntoView());
    },
  },
  {
    name: 'charts',
    inDocs: 'light',
    path: '/charts',
    prepare: (page) => page.locator('.chart').first().waitFor(),
  },
  {
    name: 'operations-calibration',
    path: '/operations',
    prepare: (page) =>
      page
        .getByText('confidence on average')
        .evaluate((caption) => caption.scrollIntoView({ block: 'center' })),
  },
  {
    name: 'charts-below',
    path: '/charts?range=24h',
    prepare: async (page) => {
      await page.locator('.chart').first().waitFor();
      await page.locator('.chart summary').last().click();
      await page.getByRole('heading', { level: 2 }).last().scrollIntoViewIfNeeded();
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    },
  },
  {
    name: 'gaps-none',
    path: '/gaps?state=closed',
    prepare: (page) => page.locator('.state').waitFor(),
  },
  {
    name: 'knowledge-none',
    path: '/knowledge?q=zzzzzz',
    prepare: (page) => page.waitForTimeout(1000),
  },
  { name: 'trace-nothing-asked', path: '/trace' },
  {
    name: 'charts-none',
    path: '/settings',
    prepare: async (page) => {
      await page.route(/answers\/statistics/, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), total: 0 } });
      });
      await page.goto(new URL('/charts', page.url()).href);
      await page.locator('.state').waitFor();
    },
  },
  ...STATES,
  {
    name: 'settings',
    path: '/settings',
    prepare: (page) => page.locator('.facts-list').nth(1).waitFor(),
  },
  {
    name: 'requests',
    path: '/ask',
    prepare: async (page) => {
      await ask(page, 'How loud is the Apollo III in Turbo mode?');
      await page.getByLabel('Show request').click();
      await page.locator('.requests button').first().click();
    },
  },
];
