import { AgentCard, type Task } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import type { LibrarianResponse } from '../../../../src/contract/core/response.ts';
import { unsignedCard } from '../../../../src/gateway/protocols/a2a/agent-card.ts';
import type { Ask } from '../../../../src/gateway/protocols/a2a/run.ts';
import { serveA2a } from '../../../../src/gateway/protocols/a2a/serve.ts';
import { taskStore } from '../../../../src/gateway/protocols/a2a/task-store.ts';
import { createTasks } from '../../../../src/gateway/protocols/a2a/tasks.ts';
import { RouteFailed } from '../../../../src/gateway/protocols/gateway-routes.ts';
import { createMask } from '../../../../src/language/privacy/mask.ts';
import { readMaskKinds } from '../../../../src/language/privacy/mask-settings.ts';
import type { Sql } from '../../../../src/platform/storage/sql.ts';
import { nodeSql } from '../../../../tools/stand-ins/node-sql.ts';

export const ORIGIN = 'https://agent.example';
export const LIFETIME_MS = 3_600_000;

const SHIPPING = {
  text: 'Shipping to Canada takes 4 to 7 days.',
  sources: [
    {
      name: 'Shipping',
      url: 'https://docs.example/shipping',
      file: 'shipping.md',
      quote: '4 to 7',
      start: 3,
      end: 9,
    },
  ],
  support: 0.9,
  check: 'quoted' as const,
};
const SECOND = { ...SHIPPING, text: 'Postage is 29 euros.' };

const ANSWER: LibrarianResponse = {
  answer: `${SHIPPING.text}\n\n${SECOND.text}`,
  sources: [{ name: 'Shipping', url: 'https://docs.example/shipping' }],
  confidence: 0.9,
  metadata: { statements: [SHIPPING, SECOND], navigator: { edition: 'e-1' } },
};

/** A librarian whose reply depends on the start of the question. */
const reply = async (
  query: string,
  { turns }: Parameters<Ask>[0],
  { signal, progress }: Parameters<Ask>[1],
  { opened, ended }: Record<'opened' | 'ended', Promise<void>>,
) => {
  progress({ type: 'routing', librarians: [{ id: 'navigator' }] });
  const FAILED = {
    code: 'UNAUTHORIZED',
    message: 'Cannot ask this librarian',
    suggestion: 'Use a key that may',
  } as const;
  if (query.startsWith('fail')) throw new RouteFailed({ ...FAILED, query });
  if (query.startsWith('crash')) throw new TypeError('secret inside');
  if (query.startsWith('vague')) {
    const about = query === 'vague' ? 'it' : `"${query}"`;
    return {
      answer: `Which device is ${about} about?`,
      sources: [],
      metadata: { clarifying: true },
    };
  }
  if (query.startsWith('off topic')) {
    const text = `I found nothing about "${query}".`;
    return { answer: text, sources: [], confidence: 0, partial: true, metadata: { closest: [] } };
  }
  if (query.startsWith('contact'))
    return { ...ANSWER, answer: 'Write to help@shop.example.', metadata: {} };
  if (query.startsWith('turns')) return { answer: JSON.stringify(turns), sources: ANSWER.sources };
  progress({ type: 'statement', index: 0, ...SHIPPING });
  if (query.startsWith('wait')) {
    const aborted = new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
    await Promise.race([opened, aborted]);
  }
  // It ignores the abort.
  if (query.startsWith('late')) await opened;
  progress({ type: 'statement', index: 1, ...SECOND });
  if (query.startsWith('late and long')) await ended;
  return { ...ANSWER, metadata: { ...ANSWER.metadata, conversation: { understood_as: query } } };
};

/** The HTTP code of the function a2a with one librarian instead of the gateway, without a socket. */
export function startAgent(given: { now?: () => number; sql?: Sql; perOwner?: number } = {}) {
  const { now = Date.now, sql = nodeSql(), perOwner } = given;
  const gates = { opened: Promise.withResolvers<void>(), ended: Promise.withResolvers<void>() };
  const until = { opened: gates.opened.promise, ended: gates.ended.promise };
  const questions: Parameters<Ask>[0][] = [];
  const aborted: string[] = [];
  const ask: Ask = async (question, reporting) => {
    questions.push(question);
    reporting.signal.addEventListener('abort', () => aborted.push(question.messageId));
    return reply(question.query, question, reporting, until);
  };
  const store = taskStore(sql, {
    lifetimeMs: LIFETIME_MS,
    ...(perOwner === undefined ? {} : { perOwner }),
  });
  const tasks = createTasks({ store, mask: createMask(readMaskKinds({})).mask, now });
  const card = unsignedCard({
    origin: ORIGIN,
    librarians: [{ id: 'navigator', name: 'Navigator', health: 'ok' }],
    issuers: [],
  }).card;
  const fetchAs =
    (owner: string): typeof fetch =>
    async (input, init) => {
      const request = new Request(input, init);
      if (new URL(request.url).pathname === '/.well-known/agent-card.json')
        return Response.json(card);
      const cardFor = async () => AgentCard.fromJSON(card);
      const { headers } = request;
      const asked = {
        version: headers.get('A2A-Version') ?? '',
        extensions: headers.get('A2A-Extensions') ?? '',
        body: new Uint8Array(await request.arrayBuffer()),
      };
      const handlerFor = (gone: AbortSignal) =>
        tasks.handlerFor({ owner, ask, card: cardFor, gone });
      const reply = await serveA2a(asked, handlerFor, { owner });
      return new Response(reply.body, reply);
    };
  /** Sends one JSON-RPC call. */
  const post = (
    method: string,
    params: unknown,
    { owner = 'alice', headers = {}, body = '' } = {},
  ) =>
    fetchAs(owner)(`${ORIGIN}/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
      body: body || JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
    });
  const call = async (...sent: Parameters<typeof post>) => {
    const response = await post(...sent);
    return { response, json: (await response.json()) as Reply };
  };
  return {
    questions,
    aborted,
    sql,
    store,
    tasks,
    fetchAs,
    post,
    call,
    open: () => gates.opened.resolve(),
    end: () => gates.ended.resolve(),
    client: (owner = 'alice') => connect(fetchAs(owner)),
  };
}

export interface Reply {
  jsonrpc: string;
  id: unknown;
  // Any members of the protocol; tests compare them.
  result?: Record<string, unknown> & {
    task?: Record<string, unknown> & { id: string; contextId: string; status: { state: string } };
  };
  error?: {
    code: number;
    message: string;
    data: { '@type': string; reason: string; domain: string; metadata: { code: string } }[];
  };
}

/** The official client, with the given `fetch`. */
export function connect(send: typeof fetch, origin = ORIGIN): Promise<Client> {
  const transports = [new JsonRpcTransportFactory({ fetchImpl: send })];
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports });
  return send(`${origin}/.well-known/agent-card.json`)
    .then((response) => response.json())
    .then((card) => new ClientFactory(options).createFromAgentCard(card as never));
}

let count = 0;
/** A message in JSON. */
export function message(text: string, more: object = {}) {
  count += 1;
  return { messageId: `m-${count}`, role: 'ROLE_USER', parts: [{ text }], ...more };
}

export function textOf({ artifacts }: Pick<Task, 'artifacts'>): string {
  return artifacts
    .flatMap(({ parts }) =>
      parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])),
    )
    .join('');
}
