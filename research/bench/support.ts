import { KnowledgeRetrieval, type RetrievalRequest } from '../../src/contract/wire/knowledge.ts';
import { createRetriever } from '../../src/knowledge/search/retrieve.ts';
import type { KnowledgeQuestion } from '../../src/support/retrieval/knowledge.ts';
import { retrieveKnowledge } from '../../src/support/retrieval/retrieve-knowledge.ts';
import { type Product, startProduct } from '../../tools/run/product.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { SAMPLE_KNOWLEDGE_BASE } from '../../tools/sample/files.ts';
import { startOpenAIServer } from '../../tools/stand-ins/openai/openai-server.ts';
import { openFolder, openSupportDocs } from '../eval/answer-bases.ts';
import { readSampleTickets, requestOf, type SampleTicket } from '../eval/read-tickets.ts';
import { type Answered, manyClients } from './many-clients.ts';
import { percentilesOf } from './single-client.ts';

const CLIENTS = 50;
const WARM_UP = 600;
const REQUESTS = 3000;
/** Requests of the single client. */
const SINGLE_REQUESTS = 600;
/** Repetitions of each question when embeddings are counted. */
const ROUNDS = 10;

/**
 * The support desk in workerd, on the gateway's own socket, without a model and without a network. What retrieval reports of itself
 * (`retrieval_time_ms`, whole milliseconds) and what a client waits for are two figures: with 50 concurrent requests on one core the
 * second is mostly queueing.
 */
export async function benchSupport({ data }: { data?: string | undefined } = {}): Promise<void> {
  await benchSteps(data);
  const product = await startProduct({ kb: 'sample', port: 0 });
  try {
    await product.sync({ full: true });
    const tickets = readSampleTickets();
    await benchRetrieve(product, tickets);
    await benchAnalyze(product, tickets);
  } finally {
    await product.stop();
  }
  await benchCache();
}

/** Budget of each step in milliseconds: goal and most, as docs/contract.md#knowledge-retrieval has them. */
const BUDGETS = {
  query: [5, 10],
  search: [20, 50],
  filter: [5, 10],
  gaps: [undefined, undefined],
  format: [5, 10],
} as const;

/** Each step of a retrieval by itself, in this process, where the clock runs during computation; each question is new. */
const benchSteps = async (data: string | undefined): Promise<void> => {
  const retrieve = createRetriever({ wordVectors: shippedWordVectors });
  const bases = [
    openFolder('sample', SAMPLE_KNOWLEDGE_BASE),
    ...(data === undefined ? [] : [openSupportDocs(data)]),
  ];
  const questions = variationsOf(readSampleTickets()).map(questionOf).slice(0, REQUESTS);
  for (const { name, edition } of bases) {
    const times = new Map<string, number[]>();
    const add = (step: string, ms: number) =>
      void times.set(step, [...(times.get(step) ?? []), ms]);
    for (const [at, question] of questions.entries()) {
      const startedAt = performance.now();
      let last = startedAt;
      const onStep = (step: keyof typeof BUDGETS): void => {
        const now = performance.now();
        if (at >= WARM_UP) add(step, now - last);
        last = now;
      };
      const knowledge = await retrieveKnowledge(question, {
        edition,
        retrieve,
        onStep,
        now: () => performance.now(),
      });
      if (at >= WARM_UP) add('total', performance.now() - startedAt);
      if (knowledge.degraded !== undefined || knowledge.retrieval_time_ms === 0)
        throw new Error(`Cannot measure the steps: a retrieval was degraded on ${name}`);
    }
    console.log(
      `Steps of a retrieval on ${name}, ${edition.chunkCount} chunks, ${questions.length - WARM_UP} questions`,
    );
    console.table([...times].map(([step, ms]) => stepRow(step, ms)));
  }
};

const stepRow = (step: string, ms: readonly number[]) => {
  const { p50, p99 } = percentilesOf(ms);
  const [goal, most] = step === 'total' ? [35, 100] : BUDGETS[step as keyof typeof BUDGETS]; // `add` gets these names alone
  const longest = Math.max(...ms);
  return {
    step,
    'p50 ms': p50.toFixed(2),
    'p99 ms': p99.toFixed(2),
    'max ms': longest.toFixed(2),
    'goal of p50': goal ?? 'none',
    most: most ?? 'none',
    met: (goal === undefined || p50 < goal) && (most === undefined || p99 < most),
  };
};

const benchRetrieve = async (product: Product, tickets: readonly SampleTicket[]): Promise<void> => {
  const questions = tickets.map(questionOf);
  const different = variationsOf(tickets).map(questionOf);
  const load = loadOf(product, '/v1/knowledge/retrieve');
  await load(different.slice(-WARM_UP), CLIENTS);
  const rows = [
    retrieveRow(
      `${CLIENTS} at once, all different`,
      await load(different.slice(0, REQUESTS), CLIENTS),
    ),
    retrieveRow(
      `${CLIENTS} at once, ${questions.length} again and again`,
      await load(repeat(questions, REQUESTS), CLIENTS),
    ),
    retrieveRow(
      'one client, all different',
      await load(different.slice(REQUESTS, REQUESTS + SINGLE_REQUESTS), 1),
    ),
  ];
  console.log(`POST /v1/knowledge/retrieve: what retrieval reports, and what the client waits for`);
  console.table(rows);
  console.log(
    'The goal of what retrieval reports, 50 at once: p50 10 ms, p99 35 ms, at most 100 ms.\n',
  );
};

const benchAnalyze = async (product: Product, tickets: readonly SampleTicket[]): Promise<void> => {
  const requests = tickets.map(requestOf);
  const different = variationsOf(tickets).map(requestOf);
  const load = loadOf(product, '/v1/support/analyze');
  await load(different.slice(-WARM_UP), CLIENTS);
  const rows = [
    waitRow('one client, all different', await load(different.slice(0, SINGLE_REQUESTS), 1)),
    waitRow(
      `one client, ${requests.length} again and again`,
      await load(repeat(requests, SINGLE_REQUESTS), 1),
    ),
    waitRow(
      `${CLIENTS} at once, all different`,
      await load(different.slice(SINGLE_REQUESTS, REQUESTS), CLIENTS),
    ),
  ];
  console.log('POST /v1/support/analyze without a model');
  console.table(rows);
  console.log('The goal is p50 25 ms.\n');
};

/** Cache hits of embeddings for a repeated stream of questions, counted at a local server with the model's API. */
const benchCache = async (): Promise<void> => {
  const openai = await startOpenAIServer();
  const product = await startProduct({
    kb: 'sample',
    port: 0,
    allVars: { OPENAI_BASE_URL: openai.url, OPENAI_API_KEY: openai.apiKey, CHAT_MODEL: 'none' },
  });
  try {
    await product.sync({ full: true });
    openai.forgetRequests();
    const questions = readSampleTickets().map(questionOf);
    const load = loadOf(product, '/v1/knowledge/retrieve');
    const answered = await load(repeat(questions, ROUNDS * questions.length), 5);
    const asked = openai.sent('/embeddings').length;
    const times = percentilesOf(answered.map(({ ms }) => ms));
    console.log(
      `POST /v1/knowledge/retrieve with an embedding model, ${questions.length} questions ${ROUNDS} times, 5 at once`,
    );
    console.log(
      `  ${asked} of ${answered.length} had to be embedded: ${((100 * (answered.length - asked)) / answered.length).toFixed(1)} % were at hand (goal 80 %); ` +
        `waits p50 ${times.p50.toFixed(1)} ms, p99 ${times.p99.toFixed(1)} ms\n`,
    );
  } finally {
    await product.stop();
    await openai.stop();
  }
};

const questionOf = ({
  message,
  metadata,
  expected,
}: SampleTicket): KnowledgeQuestion & RetrievalRequest => {
  const product = metadata?.product;
  return {
    intent: expected.intent,
    message,
    ...(typeof product === 'string' ? { metadata: { product } } : {}),
  };
};

/** Every message prefixed with words of another, so that no answer is cached. */
const variationsOf = (tickets: readonly SampleTicket[]): SampleTicket[] =>
  tickets.flatMap((_, shift) =>
    tickets.flatMap((ticket, at) => {
      const other = tickets[(at + shift + 1) % tickets.length];
      if (other === undefined || other === ticket) return [];
      return [
        { ...ticket, message: `${other.message.split(' ').slice(-3).join(' ')} ${ticket.message}` },
      ];
    }),
  );

const repeat = <T>(items: readonly T[], count: number): T[] =>
  Array.from({ length: Math.ceil(count / items.length) }, () => items)
    .flat()
    .slice(0, count);

const loadOf =
  ({ url, key }: Product, path: string) =>
  (bodies: readonly unknown[], clients: number): Promise<Answered[]> =>
    manyClients(new URL(path, url), {
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      bodies: bodies.map((body) => JSON.stringify(body)),
      clients,
    });

const retrieveRow = (what: string, answered: readonly Answered[]) => {
  const blocks = answered.flatMap(({ status, body }) =>
    status === 200 ? [KnowledgeRetrieval.parse(JSON.parse(body))] : [],
  );
  const reported = blocks.map(({ retrieval_time_ms }) => retrieval_time_ms);
  const { p50, p99 } = percentilesOf(reported);
  const empty = blocks.filter(({ retrieval_time_ms }) => retrieval_time_ms === 0).length;
  return {
    what,
    'reported p50': p50,
    'reported p99': p99,
    'reported max': Math.max(...reported),
    unavailable: empty,
    ...waitOf(answered),
  };
};

const waitRow = (what: string, answered: readonly Answered[]) => ({ what, ...waitOf(answered) });

const waitOf = (answered: readonly Answered[]) => {
  const times = answered.map(({ ms }) => ms);
  const { p50, p99 } = percentilesOf(times);
  return {
    'waits p50 ms': p50.toFixed(1),
    'waits p99 ms': p99.toFixed(1),
    'waits max ms': Math.max(...times).toFixed(1),
    failed: answered.filter(({ status }) => status !== 200).length,
    requests: answered.length,
  };
};
