import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Browser, Page, Route } from 'playwright-core';
import * as z from 'zod';
import { AnswersPage } from '../../src/contract/wire/answers.ts';
import { type Product, startProduct } from '../../tools/run/product.ts';
import { ensureInstalled } from '../../tools/stand-ins/ensure-installed.ts';
import { launchChromium } from '../screenshots/launch-chromium.ts';
import { sampleQuestions, variationsOf } from './http.ts';
import { percentilesOf } from './single-client.ts';

const OPENINGS = 9;
const QUESTIONS = 40;
const SENTENCES = 400;
const KEPT = 50_000;
const ANSWERS = 500;
const FEW_ANSWERS = 10;

/** The console in Chromium against the real functions: what the first view transfers, when sentences are on the screen, frames, memory. */
export async function benchConsole(): Promise<void> {
  ensureInstalled(['chromium'], { reason: 'this part measures the console in it' });
  const product = await startProduct({ kb: 'sample', port: 0 });
  const browser = await launchChromium();
  try {
    await product.sync({ full: true });
    console.log(
      `The console in Chromium ${browser.version()}, 1280 by 860 pixels, without a graphics card`,
    );
    await benchFirstView(product, browser);
    await benchIdle(product, browser);
    await benchSentences(product, browser);
    await benchLongAnswer(product, browser);
    await benchList(product, browser);
    await benchMemory(product, browser);
  } finally {
    await browser.close();
    await product.stop();
  }
}

const open = async ({ url, key }: Product, browser: Browser, path: string): Promise<Page> => {
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1280, height: 860 },
  });
  const page = await context.newPage();
  await page.addInitScript(record);
  await page.goto(new URL(`${path}#key=${encodeURIComponent(key)}`, url).href);
  await page.locator('main h1').waitFor();
  return page;
};

/** What `record` notes in the page; moments as of `performance.now()`. */
interface Recorded {
  /** When a key was pressed last. */
  pressed: number;
  /** When the text of each event `statement` reached the page. */
  arrived: number[];
  /** When a frame with so many statements had been painted. */
  painted: number[];
  /** Milliseconds from frame to frame. */
  frames: number[];
}

/** Runs in the page, before its own scripts. */
const record = (): void => {
  const recorded: Recorded = { pressed: 0, arrived: [], painted: [], frames: [] };
  (window as unknown as { recorded: Recorded }).recorded = recorded;
  addEventListener('keydown', () => (recorded.pressed = performance.now()), true);
  const decoder = new TextDecoder();
  const read = ReadableStreamDefaultReader.prototype.read;
  ReadableStreamDefaultReader.prototype.read = async function (this: ReadableStreamDefaultReader) {
    const part = await read.call(this);
    const at = performance.now();
    if (part.value instanceof Uint8Array)
      for (const _ of decoder.decode(part.value).matchAll(/^event: statement/gm))
        recorded.arrived.push(at);
    return part;
  };
  const statements = document.getElementsByClassName('statement');
  const { port1, port2 } = new MessageChannel();
  // Its turn comes after the frame has been painted.
  port1.onmessage = () => {
    while (recorded.painted.length < statements.length) recorded.painted.push(performance.now());
  };
  let before = performance.now();
  const onFrame = (at: number): void => {
    recorded.frames.push(at - before);
    before = at;
    if (statements.length > recorded.painted.length) port2.postMessage(undefined);
    requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
};

const recordedIn = (page: Page): Promise<Recorded> =>
  page.evaluate(() => (window as unknown as { recorded: Recorded }).recorded);

/**
 * What a page does while `act` runs, from a trace of the browser: the processor time of its tasks says what the console costs on a
 * machine that does nothing else, the frames what a reader sees on this one.
 */
const watch = async (
  browser: Browser,
  page: Page,
  act: () => Promise<unknown>,
): Promise<Recorded & { said: string }> => {
  await page.evaluate(() => {
    const { recorded } = window as unknown as { recorded: Recorded };
    recorded.arrived.length = 0;
    recorded.frames.length = 0;
  });
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await act();
  const { traceEvents } = Trace.parse(JSON.parse((await browser.stopTracing()).toString()));
  const recorded = await recordedIn(page);
  const main = traceEvents.find(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  );
  const tasks = traceEvents
    .filter(
      ({ name, pid, tid }) => name.endsWith('RunTask') && pid === main?.pid && tid === main.tid,
    )
    .map(({ tdur = 0 }) => tdur / 1000);
  const above = (times: readonly number[]): string =>
    `${times.filter((ms) => ms > LONG_MS).length} above ${LONG_MS} ms`;
  const said =
    `longest task ${Math.max(0, ...tasks).toFixed(0)} ms of the processor, ${above(tasks)}; ` +
    `longest of ${recorded.frames.length} frames ${Math.max(0, ...recorded.frames).toFixed(0)} ms, ${above(recorded.frames)}`;
  return { ...recorded, said };
};

const LONG_MS = 50;

const Trace = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      /** Processor time, microseconds. */
      tdur: z.number().optional(),
      args: z.object({ name: z.unknown() }).optional().catch(undefined),
    }),
  ),
});

const benchFirstView = async (product: Product, browser: Browser): Promise<void> => {
  const paints: number[] = [];
  const usable: number[] = [];
  const files = new Map<string, Promise<{ type: string; bytes: number; gzipBytes: number }>>();
  for (let opening = 0; opening < OPENINGS; opening += 1) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    const page = await context.newPage();
    page.on('response', (response) => {
      const type = response.request().resourceType();
      if (!['document', 'script', 'stylesheet'].includes(type)) return;
      const read = async () => {
        const body = await response.body();
        return { type, bytes: body.length, gzipBytes: gzipSync(body, { level: 9 }).length };
      };
      files.set(response.url(), read());
    });
    await page.goto(new URL(`/#key=${encodeURIComponent(product.key)}`, product.url).href);
    await page.locator('#question').waitFor();
    usable.push(await page.evaluate(() => performance.now()));
    await page.locator('.suggestions button >> nth=2').waitFor();
    paints.push(
      await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      ),
    );
    await context.close();
  }
  const transferred = Map.groupBy(await Promise.all(files.values()), ({ type }) => type);
  for (const [type, all] of transferred) {
    const sum = (of: (file: (typeof all)[number]) => number): string =>
      (all.reduce((total, file) => total + of(file), 0) / 1024).toFixed(1);
    console.log(
      `First view, ${type}: ${all.length} files, ${sum(({ bytes }) => bytes)} KiB, ${sum(({ gzipBytes }) => gzipBytes)} KiB gzip`,
    );
  }
  console.log(
    `First paint with content p50 ${percentilesOf(paints).p50.toFixed(0)} ms, question can be typed p50 ${percentilesOf(usable).p50.toFixed(0)} ms, ` +
      `of ${OPENINGS} openings with an empty cache\n`,
  );
};

/** What the machine itself does to frames. */
const benchIdle = async (product: Product, browser: Browser): Promise<void> => {
  const page = await open(product, browser, '/settings');
  await page.waitForTimeout(1000);
  const { said } = await watch(browser, page, () => page.waitForTimeout(5000));
  console.log(`Nothing happens for 5 s: ${said}`);
  await page.context().close();
};

const ask = async (page: Page, query: string): Promise<void> => {
  await page.fill('#question', query);
  await page.keyboard.press('Enter');
  await page
    .locator('.turn:last-of-type[aria-busy="false"] .question', { hasText: query })
    .waitFor();
};

const benchSentences = async (product: Product, browser: Browser): Promise<void> => {
  const page = await open(product, browser, '/');
  const sent: number[] = [];
  const shown: number[] = [];
  for (const query of variationsOf(sampleQuestions()).slice(0, QUESTIONS)) {
    await page.goto(new URL('/ask', product.url).href);
    await page.locator('#question').waitFor();
    await ask(page, query);
    const { pressed, arrived, painted } = await recordedIn(page);
    if (arrived[0] === undefined || painted[0] === undefined) continue;
    sent.push(painted[0] - pressed);
    shown.push(painted[0] - arrived[0]);
  }
  const [whole, own] = [percentilesOf(sent), percentilesOf(shown)];
  console.log(
    `First sentence on the screen, of ${sent.length} answered questions: p50 ${whole.p50.toFixed(0)} ms, p99 ${whole.p99.toFixed(0)} ms after Enter; ` +
      `p50 ${own.p50.toFixed(0)} ms, p99 ${own.p99.toFixed(0)} ms after its event (goal: 100 ms)\n`,
  );
  await page.context().close();
};

/** A stream of many sentences, which no article of the sample gives: it comes from a server of this process, in the place of `/v1/ask`. */
const benchLongAnswer = async (product: Product, browser: Browser): Promise<void> => {
  for (const perSecond of [50, 400, Number.POSITIVE_INFINITY]) {
    const server = await serveSentences(perSecond);
    const { port } = server.address() as AddressInfo; // it listens on a port
    const page = await open(product, browser, '/');
    await page.route('**/v1/ask', (route) => route.continue({ url: `http://127.0.0.1:${port}/` }));
    await page.fill('#question', 'What is there to say?');
    const { arrived, painted, said } = await watch(browser, page, async () => {
      await page.keyboard.press('Enter');
      await page.locator('.turn[aria-busy="false"]').waitFor({ timeout: 120_000 });
    });
    const delays = arrived.flatMap((at, index) =>
      painted[index] === undefined ? [] : [painted[index] - at],
    );
    const { p50, p99 } = percentilesOf(delays);
    const pace = Number.isFinite(perSecond) ? `${perSecond} a second` : 'all at once';
    console.log(
      `${SENTENCES} sentences, ${pace}: each on the screen p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms after its event; ${said}`,
    );
    await page.context().close();
    server.close();
  }
  console.log('');
};

const serveSentences = async (perSecond: number): Promise<Server> => {
  const statements = Array.from({ length: SENTENCES }, (_, index) => {
    const name = `Article ${index % 20}`;
    const text = `Sentence ${index} says **something** about the part \`${index}\` of the device, with enough words for two lines of the page.`;
    const quote = `${text} And what surrounds it.`;
    const sources = [
      {
        name,
        url: `https://docs.example.com/${index % 20}`,
        section: 'Parts',
        quote,
        start: index,
      },
    ];
    return { text, sources, support: 0.9, check: 'compared' };
  });
  const answer = statements.map(({ text }) => text).join('\n\n');
  const sources = Array.from({ length: 20 }, (_, at) => ({
    name: `Article ${at}`,
    url: `https://docs.example.com/${at}`,
  }));
  const response = { answer, sources, confidence: 0.9, metadata: { statements } };
  const server = createServer(async (_, reply) => {
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
    const startedAt = performance.now();
    for (const [index, statement] of statements.entries()) {
      const early = (index * 1000) / perSecond - (performance.now() - startedAt);
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      reply.write(
        `event: statement\ndata: ${JSON.stringify({ type: 'statement', librarian: 'navigator', index, ...statement })}\n\n`,
      );
    }
    reply.end(`event: done\ndata: ${JSON.stringify(response)}\n\n`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
};

/** All of 50,000 kept answers: a line that the store gave, repeated by interception of its route, read and paged to the last one. */
const benchList = async (product: Product, browser: Browser): Promise<void> => {
  const { answers } = AnswersPage.parse(
    await (await product.fetch('/v1/answers?limit=100')).json(),
  );
  const page = await open(product, browser, '/settings');
  await page.route(/\/v1\/answers\?/, (route) => fulfilAnswers(route, answers));
  await page.goto(new URL('/answers', product.url).href);
  await page.locator('tbody tr').first().waitFor();
  const { said } = await watch(browser, page, () => clickToTheEnd(page, 'Load more'));
  console.log(`${KEPT} kept answers read into the list: ${said}`);
  const paging = await watch(browser, page, () => clickToTheEnd(page, 'Next'));
  const rows = await page.locator('tbody tr').count();
  console.log(
    `Paged and scrolled to the last, ${rows} rows in the document: ${paging.said}; JavaScript heap ${await heapOf(page)} MiB\n`,
  );
  await page.context().close();
};

const fulfilAnswers = (route: Route, answers: AnswersPage['answers']): Promise<void> => {
  const { searchParams } = new URL(route.request().url());
  const from = Number(searchParams.get('cursor') ?? 0);
  const to = Math.min(from + Number(searchParams.get('limit')), KEPT);
  const page = Array.from({ length: to - from }, (_, at) => {
    const answer = answers[(from + at) % answers.length];
    return { ...answer, id: `00000000-0000-4000-8000-${String(from + at).padStart(12, '0')}` };
  });
  return route.fulfill({
    json: { answers: page, total: KEPT, next_cursor: to < KEPT ? String(to) : null },
  });
};

/** Clicks as long as the button can be, in the page: one click from outside takes longer than a frame. Scrolls down before each. */
const clickToTheEnd = (page: Page, label: string): Promise<void> =>
  page.evaluate(async (wanted) => {
    for (;;) {
      const buttons = [...document.querySelectorAll<HTMLButtonElement>('.table footer button')];
      const button = buttons.find(({ textContent }) => textContent === wanted);
      const isReading = document.querySelector('.table[aria-busy="true"]') !== null;
      if (!isReading && (button === undefined || button.disabled)) return;
      scrollTo(0, document.documentElement.scrollHeight);
      if (!isReading) button?.click();
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, label);

/** MiB after garbage has been collected. */
const heapOf = async (page: Page): Promise<string> => {
  const debug = await page.context().newCDPSession(page);
  for (let round = 0; round < 3; round += 1) await debug.send('HeapProfiler.collectGarbage');
  const { usedSize } = await debug.send('Runtime.getHeapUsage');
  await debug.detach();
  return (usedSize / 2 ** 20).toFixed(1);
};

const benchMemory = async (product: Product, browser: Browser): Promise<void> => {
  const page = await open(product, browser, '/');
  const questions = variationsOf(sampleQuestions()).slice(QUESTIONS);
  const heaps: string[] = [];
  for (const [index, query] of questions.slice(0, ANSWERS).entries()) {
    await ask(page, query);
    if (index + 1 === FEW_ANSWERS || (index + 1) % 100 === 0)
      heaps.push(`${index + 1}: ${await heapOf(page)}`);
  }
  console.log(
    `JavaScript heap of one page by number of answers, after collecting garbage, MiB: ${heaps.join(', ')}`,
  );
  await page.context().close();
};
