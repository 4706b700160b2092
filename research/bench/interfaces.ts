import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type Product, startProduct } from '../../tools/run/product.ts';
import {
  type OpenAIServer,
  startOpenAIServer,
} from '../../tools/stand-ins/openai/openai-server.ts';
import { sampleQuestions, variationsOf } from './http.ts';
import { longQuotingModel } from './long-quoting-model.ts';
import { percentilesOf } from './single-client.ts';
import { functionSizes } from './size.ts';
import { memoryOfRuntime, watchMemory } from './watch-memory.ts';

const WARM_UP = 100;
const ROUNDS = 600;
const TOKENS_PER_SECOND = 50;
const STREAMS = 500;
const MANY_STREAMS = 10_000;

/** What each interface adds to `/v1/ask`, how soon a stream begins, and what many streams cost; on the gateway's own socket, in workerd. */
export async function benchInterfaces(): Promise<void> {
  const startedAt = performance.now();
  const product = await startProduct({ kb: 'sample', port: 0 });
  try {
    await product.sync({ full: true });
    const [cold] = await streamOnce(product, 'How loud is it?');
    console.log(
      `Start and sync ${Math.round(performance.now() - startedAt)} ms; first event of the first question ${cold.toFixed(1)} ms`,
    );
    await benchAdded(product);
    await benchFirst(product);
    await benchUnread(product);
  } finally {
    await product.stop();
  }
  await benchModel();
  const sizes = (await functionSizes()).filter(({ name }) => /gateway|mcp|a2a/.test(name));
  console.table(
    sizes.map(({ name, gzipBytes }) => ({
      function: name,
      'KiB gzip': (gzipBytes / 1024).toFixed(1),
    })),
  );
}

interface Call {
  path: string;
  headers?: Record<string, string>;
  body(query: string): object;
}

const EVENTS = { accept: 'text/event-stream' };
const MCP_REVISION = '2026-07-28';
const META = 'io.modelcontextprotocol';

const INTERFACES: Record<string, Call> = {
  '/v1/ask': { path: '/v1/ask', body: (query) => ({ query }) },
  'the same as events': { path: '/v1/ask', headers: EVENTS, body: (query) => ({ query }) },
  'chat completions': {
    path: '/v1/chat/completions',
    body: (content) => ({ model: 'constellation', messages: [{ role: 'user', content }] }),
  },
  'chat completions, streamed': {
    path: '/v1/chat/completions',
    body: (content) => ({
      model: 'constellation',
      messages: [{ role: 'user', content }],
      stream: true,
    }),
  },
  'MCP, tool ask': {
    path: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MCP_REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': 'ask',
    },
    body: (query) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'ask',
        arguments: { query },
        _meta: { [`${META}/protocolVersion`]: MCP_REVISION, [`${META}/clientCapabilities`]: {} },
      },
    }),
  },
  'A2A, SendMessage': {
    path: '/a2a',
    headers: { 'a2a-version': '1.0' },
    body: (text) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] } },
    }),
  },
};

/** Every interface in turn, each with questions of its own, so that all of them meet the same caches and the same noise. */
const benchAdded = async (product: Product): Promise<void> => {
  const names = Object.keys(INTERFACES);
  const questions = variationsOf(sampleQuestions());
  const times = names.map((): number[] => []);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    for (const [index, name] of names.entries()) {
      const call = INTERFACES[name];
      const query = questions[(round * names.length + index) % questions.length] ?? '';
      if (call === undefined) continue;
      const startedAt = performance.now();
      const { response } = await open(product, call, { query, agent });
      let text = '';
      for await (const part of response.setEncoding('utf8')) text += part;
      if (response.statusCode !== 200 && response.statusCode !== 404)
        throw new Error(`${name}: status ${response.statusCode}, ${text.slice(0, 200)}`);
      if (round >= WARM_UP) times[index]?.push(performance.now() - startedAt);
    }
  }
  agent.destroy();
  const [base] = times.map(percentilesOf);
  console.log(
    `Without a model, one client, ${ROUNDS} questions each, milliseconds (goal: 1 ms added at p50)`,
  );
  console.table(
    names.map((name, index) => {
      const { p50, p99 } = percentilesOf(times[index] ?? []);
      return {
        interface: name,
        p50: p50.toFixed(2),
        p99: p99.toFixed(2),
        added: (p50 - (base?.p50 ?? 0)).toFixed(2),
      };
    }),
  );
};

const benchFirst = async (product: Product): Promise<void> => {
  const firsts: number[] = [];
  const statements: number[] = [];
  for (const query of variationsOf(sampleQuestions()).slice(-ROUNDS)) {
    const [event, statement] = await streamOnce(product, query);
    firsts.push(event);
    if (statement !== undefined) statements.push(statement);
  }
  const [event, statement] = [percentilesOf(firsts), percentilesOf(statements)];
  console.log(
    `First event p50 ${event.p50.toFixed(2)} ms, p99 ${event.p99.toFixed(2)} ms (goal: p50 5 ms); first statement without a model ` +
      `p50 ${statement.p50.toFixed(2)} ms, p99 ${statement.p99.toFixed(2)} ms (goal: p50 10 ms)\n`,
  );
};

const shared = new Agent({ keepAlive: true, maxSockets: 1 });

/** Milliseconds to the first event, to the first statement, and to the end. */
const streamOnce = async (
  product: Product,
  query: string,
  agent = shared,
): Promise<[event: number, statement: number | undefined, end: number]> => {
  const startedAt = performance.now();
  const { response } = await open(product, { ...events, path: '/v1/ask' }, { query, agent });
  let event: number | undefined;
  let statement: number | undefined;
  let text = '';
  for await (const part of response.setEncoding('utf8')) {
    event ??= performance.now() - startedAt;
    text += part;
    if (statement === undefined && text.includes('event: statement'))
      statement = performance.now() - startedAt;
  }
  if (!text.includes('event: done'))
    throw new Error(`a stream ended without an answer: ${text.slice(-300)}`);
  return [event ?? 0, statement, performance.now() - startedAt];
};

const events: Call = { path: '/v1/ask', headers: EVENTS, body: (query) => ({ query }) };

/** A model that writes 50 tokens a second: alone, and for many at once. */
const benchModel = async (): Promise<void> => {
  const openai = await startOpenAIServer();
  openai.answerWith(longQuotingModel(TOKENS_PER_SECOND));
  const product = await startProduct({ kb: 'sample', port: 0, adapters: modelVariables(openai) });
  try {
    await product.sync({ full: true });
    const own = (): Agent => new Agent({ keepAlive: false });
    const alone: [number, number | undefined, number][] = [];
    for (const query of sampleQuestions().slice(0, 8))
      alone.push(await streamOnce(product, query, own()));
    report(
      `With a model that writes ${TOKENS_PER_SECOND} tokens a second, one stream (goal: first statement 1.5 s)`,
      alone,
    );
    const watch = watchMemory();
    const questions = sampleQuestions();
    const many = await Promise.all(
      Array.from({ length: STREAMS }, (_, at) =>
        streamOnce(product, questions[at % questions.length] ?? '', own()).catch(() => undefined),
      ),
    );
    const done = many.filter((each) => each !== undefined);
    report(`${STREAMS} streams at once, ${done.length} ended with an answer`, done);
    console.log(`Memory of workerd and of all functions: ${watch.stop()}\n`);
  } finally {
    await product.stop();
    await openai.stop();
  }
};

const modelVariables = ({ url, apiKey }: OpenAIServer) => ({
  OPENAI_API_KEY: apiKey,
  OPENAI_BASE_URL: url,
  EMBEDDING_MODEL: 'local-embedding',
  EMBEDDING_DIMENSIONS: '384',
});

const report = (what: string, streams: [number, number | undefined, number][]): void => {
  const stated = streams.filter(([, statement]) => statement !== undefined);
  const event = percentilesOf(streams.map(([first]) => first));
  const statement = percentilesOf(stated.map(([, first]) => first ?? 0));
  const whole = percentilesOf(stated.map(([, , end]) => end));
  console.log(
    `${what}: first event p50 ${event.p50.toFixed(0)} ms, p99 ${event.p99.toFixed(0)} ms; first statement p50 ${statement.p50.toFixed(0)} ms, ` +
      `p99 ${statement.p99.toFixed(0)} ms; whole p50 ${whole.p50.toFixed(0)} ms, p99 ${whole.p99.toFixed(0)} ms`,
  );
};

/** Streams that are not read, all open at once; then one that is read. */
const benchUnread = async (product: Product): Promise<void> => {
  const questions = variationsOf(sampleQuestions());
  const watch = watchMemory();
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const opened: ClientRequest[] = [];
  const counts = new Map<string, number>();
  let next = 0;
  // So many requests at once that are waiting for their first byte; what has begun stays open and is not read.
  const opener = async (): Promise<void> => {
    while (next < MANY_STREAMS) {
      const query = questions[next++ % questions.length] ?? '';
      const status = await open(product, events, { query, agent }).then(
        ({ sent, response }) => {
          opened.push(sent);
          response.pause();
          return String(response.statusCode);
        },
        (error: unknown) => (error as NodeJS.ErrnoException).code ?? 'failed',
      );
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 100 }, opener));
  const seconds = (performance.now() - startedAt) / 1000;
  const during = await streamOnce(product, 'How long does shipping to Canada take?', new Agent());
  const open_ = memoryOfRuntime();
  for (const sent of opened) sent.destroy();
  const after = await streamOnce(product, 'How do I swap the fan?', new Agent());
  const outcome = [...counts].map(([status, count]) => `${status}: ${count}`).join(', ');
  console.log(
    `${MANY_STREAMS} streams that are not read (${outcome}), opened in ${seconds.toFixed(0)} s; meanwhile another answered in ${during[2].toFixed(0)} ms, ` +
      `afterwards in ${after[2].toFixed(0)} ms; memory with all of them open ${open_} MiB, ${watch.stop()}\n`,
  );
};

const open = (
  product: Product,
  { path, headers, body }: Call,
  { query, agent }: { query: string; agent: Agent },
): Promise<{ sent: ClientRequest; response: IncomingMessage }> =>
  new Promise((resolve, reject) => {
    const sent = request(new URL(path, product.url), {
      agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${product.key}`,
        ...headers,
      },
    });
    sent.once('response', (response) => resolve({ sent, response }));
    sent.on('error', reject).end(JSON.stringify(body(query)));
  });
