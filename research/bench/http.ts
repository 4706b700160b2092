import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { ROOT } from '../../tools/functions.ts';
import { startProduct } from '../../tools/run/product.ts';
import { readLines } from '../eval/eval-data.ts';
import { jsonlToFolder } from './jsonl-folder.ts';
import { benchQuestionTime } from './question-time.ts';
import { percentilesOf, singleClient } from './single-client.ts';

const SECONDS = 8;
const CLIENTS = 50;
const WARM_UP_SECONDS = 8;
const SINGLE_REQUESTS = 2000;

interface Load {
  url: URL;
  key: string;
  questions: string[];
  /** The librarian to ask; the concierge chooses when absent. */
  librarian?: string;
}

/**
 * `/v1/ask` end to end in workerd (gateway, concierge, signed hop, librarian, receipt), on the gateway's own socket, against an
 * empty Hono function behind one service binding in the same run, before and after.
 */
export async function benchHttp({ data }: { data?: string | undefined }): Promise<void> {
  const product = await startProduct({
    kb: 'sample',
    port: 0,
    moreWorkers: [
      { name: 'bench-front', main: benchFunction('front'), services: { EMPTY: 'bench-empty' } },
      { name: 'bench-empty', main: benchFunction('empty') },
    ],
  });
  try {
    await product.sync({ full: true });
    const questions = sampleQuestions();
    const url = new URL('/v1/ask', product.url);
    const again: Load = { url, key: product.key, questions };
    const different: Load = { url, key: product.key, questions: variationsOf(questions) };
    const empty: Load = {
      ...again,
      url: await product.miniflare.unsafeGetDirectURL('bench-front'),
    };
    await load(different, WARM_UP_SECONDS);
    const before = await load(empty, SECONDS);
    const repeated = await load(again, SECONDS);
    const varied = await load(different, SECONDS);
    const named = await load({ ...different, librarian: 'navigator' }, SECONDS);
    const after = await load(empty, SECONDS);
    const floor = (before.requests.average + after.requests.average) / 2;
    console.log(
      `POST /v1/ask in workerd: gateway, concierge, signed hop, librarian, receipt, trace; ${CLIENTS} clients`,
    );
    console.table([
      row('empty function behind one hop', before, floor),
      row(`/v1/ask, ${questions.length} questions again and again`, repeated, floor),
      row(`/v1/ask, ${different.questions.length} different questions`, varied, floor),
      row('the same, the navigator named', named, floor),
      row('empty function behind one hop, again', after, floor),
    ]);
    console.log('The goal is 1,000 requests/s, p99 150 ms, and 20 % of the empty function.\n');
    const [p50, p99] = await single(different);
    console.log(
      `One client, one request after the other: p50 ${p50} ms, p99 ${p99} ms (goal: p50 8 ms)\n`,
    );
    const { questions: all } = different;
    const measured = {
      ask: url,
      empty: empty.url,
      headers: headersOf(product.key),
      questions: all,
    };
    if (process.platform !== 'linux')
      console.log('Processor time of a question: skipped, as it is read from /proc (Linux)\n');
    else if (!(await benchQuestionTime(measured))) process.exitCode = 1;
  } finally {
    await product.stop();
  }
  if (data !== undefined && existsSync(join(data, ARTICLES))) await benchLarger(data);
}

const ARTICLES = 'support-docs/articles.jsonl';

/** One client on a larger knowledge base, each customer question once: the articles of most are not cached. */
const benchLarger = async (data: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'constellation-bench-'));
  jsonlToFolder(join(data, ARTICLES), folder);
  const product = await startProduct({ kb: { folder }, port: 0 });
  try {
    await product.sync({ full: true });
    const questions = readLines<{ kb: string; question: string }>(
      data,
      'customer-questions/questions.jsonl',
    )
      .filter(({ kb }) => kb === 'support-docs')
      .map(({ question }) => question);
    const asked: Load = { url: new URL('/v1/ask', product.url), key: product.key, questions };
    const [coldP50, coldP99] = await single(asked, questions.length);
    const [p50, p99] = await single({ ...asked, questions: variationsOf(questions) });
    console.log(
      `The same on support-docs: ${questions.length} questions, each once, p50 ${coldP50} ms, p99 ${coldP99} ms; ` +
        `then different ones, p50 ${p50} ms, p99 ${p99} ms\n`,
    );
  } finally {
    await product.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

const benchFunction = (name: string): string => join(ROOT, `research/bench/functions/${name}.ts`);

/** Each client has questions of its own: of clients that ask the same one at the same time, all but the first get its cached answer. */
const load = async (
  { url, key, questions, librarian }: Load,
  duration: number,
): Promise<autocannon.Result> => {
  const requests = questions.map((query) => ({
    method: 'POST' as const,
    headers: headersOf(key),
    body: JSON.stringify({ query, librarian }),
  }));
  let client = 0;
  return autocannon({
    url: url.href,
    connections: CLIENTS,
    duration,
    setupClient: (connection) => {
      const own = client++ % CLIENTS;
      connection.setRequests(requests.filter((_, at) => at % CLIENTS === own));
    },
  });
};

const single = async (
  { url, key, questions }: Load,
  count = SINGLE_REQUESTS,
): Promise<[p50: string, p99: string]> => {
  const client = singleClient(headersOf(key));
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    times.push(
      await client.post(url, JSON.stringify({ query: questions[index % questions.length] })),
    );
  }
  client.close();
  const { p50, p99 } = percentilesOf(times);
  return [p50.toFixed(2), p99.toFixed(2)];
};

const headersOf = (key: string) => ({
  'content-type': 'application/json',
  authorization: `Bearer ${key}`,
});

const row = (
  what: string,
  { requests, latency, non2xx, errors, statusCodeStats }: autocannon.Result,
  floor: number,
) => ({
  what,
  'requests/s': Math.round(requests.average),
  '% of empty': Math.round((100 * requests.average) / floor),
  'p50 ms': latency.p50,
  'p99 ms': latency.p99,
  'none of ours, %': Math.round((100 * (statusCodeStats?.['404']?.count ?? 0)) / requests.total),
  failed: non2xx + errors - (statusCodeStats?.['404']?.count ?? 0),
});

export function sampleQuestions(): string[] {
  const file = join(ROOT, 'tools/sample/questions.json');
  const labelled = JSON.parse(readFileSync(file, 'utf8')) as { question: string }[];
  return labelled.map(({ question }) => question);
}

/** Every question prefixed with words of another, so that no answer is cached. */
export function variationsOf(questions: string[]): string[] {
  return questions.flatMap((question, index) =>
    questions
      .filter((_, other) => other !== index)
      .map((other) => `${other.split(' ').slice(-2).join(' ')} ${question}`),
  );
}
