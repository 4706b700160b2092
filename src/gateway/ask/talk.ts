import type { Context } from 'hono';
import type * as z from 'zod';
import { ASKER_LANGUAGE, languageOfAsker } from '../../answering/write/answer-phrases.ts';
import { ASKER_FACTS, type AskRequest, QUESTION_ORIGIN } from '../../contract/core/ask.ts';
import type { AIClient } from '../../contract/core/librarian.ts';
import { MemoryId } from '../../contract/core/names.ts';
import type { LibrarianResponse } from '../../contract/core/response.ts';
import type { Facts } from '../../contract/wire/memory.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { withMetadata } from '../../librarians/delegation/trace.ts';
import type { WaitUntil } from '../../platform/concurrency.ts';
import { covers } from '../../platform/context/capabilities.ts';
import type { OriginContext } from '../../platform/context/request-context.ts';
import type { SignedClient } from '../../platform/context/signed-client.ts';
import { waitAtMost } from '../../platform/http/deadline.ts';
import { readJson } from '../../platform/http/json-http.ts';
import { jsonBytes } from '../access/forward.ts';
import type { GatewayEnv } from '../access/request-log.ts';
import {
  type ConversationPlace,
  type Conversations,
  conversationsBy,
  type PastTurn,
  personIn,
} from './conversations.ts';
import { turnsIn, understandQuestion, withHistory, withMembers } from './understand-question.ts';

/** A request with its standalone question, and what to do with its answer. */
interface Talk {
  query: string;
  /** What the asker wrote: this question as typed, and the previous ones. */
  said: readonly string[];
  metadata: Readonly<Record<string, unknown>> | undefined;
  /** Stores the turn, and adds to the response how the question was understood. Never throws. */
  store(response: LibrarianResponse, answered?: Answered): Promise<LibrarianResponse>;
}

/** How a question was answered. */
interface Answered {
  /** Id of the librarian that answered. */
  librarian?: string | undefined;
  /** The standalone question, as sent to a librarian that does not read the history. */
  query?: string | undefined;
  /** Whether the question and its answer are stored; true when absent. Thanks and greetings are not: the next question continues the one before. */
  isTurn?: boolean | undefined;
}

interface TalkRequest {
  request: AskRequest;
  context: OriginContext;
  signal: AbortSignal;
  waitUntil: WaitUntil;
  /** Bounded by the budgets of the request. */
  ai?: AIClient | undefined;
}

interface TalkParts {
  client: SignedClient;
  /** As in `AskParts`. */
  factTokens?: number | undefined;
  now?: (() => number) | undefined;
}

/** Share of the request's deadline that reading the previous turns and the facts may take, each. */
const SHARE_OF_RECALLING = 0.2;
/**
 * How long a response waits until its turn is stored, so that an immediate follow-up question finds it; the rest continues in the
 * background.
 */
const KEEP_MS = 100;

/**
 * Reads questions in their conversations: the previous turns are those stored for `conversation_id`, or those that the caller sends in
 * `metadata.history`. What is stored about the person or the conversation goes along as `metadata.asker_facts`.
 */
export function createTalk(parts: TalkParts): (asked: TalkRequest) => Promise<Talk> {
  const { client, factTokens = 0, now = Date.now } = parts;
  const conversations = conversationsBy(client);
  return async ({ request, context, signal, waitUntil, ai }) => {
    const { query, conversation_id: id } = request;
    const given = turnsIn(request.metadata);
    const bounds = () => ({ ai, timeLeftMs: context.deadlineMs - now(), signal });
    const withinMs = () => Math.min(RECALL_MS, (context.deadlineMs - now()) * SHARE_OF_RECALLING);
    const { workspace, subject, audiences, traceId } = context;
    const personId =
      id === undefined
        ? MemoryId.safeParse(request.metadata?.person_id).data
        : personIn(request.metadata);
    const asker = () => ({ workspace, subject, audiences, traceId, signal, now: now(), personId });
    const hasFacts =
      (id ?? personId) !== undefined &&
      factTokens > 0 &&
      request.facts !== false &&
      covers(context.capabilities, 'memory:read');
    const reading = hasFacts
      ? conversations.facts({ ...asker(), id }, { query, tokens: factTokens }, withinMs())
      : undefined;
    const place = (): ConversationPlace | undefined =>
      id === undefined ? undefined : { ...asker(), id };
    const conversation = place();
    const turns = conversation && (await conversations.recall(conversation, withinMs()));
    const before = given.length > 0 ? given : (turns ?? []);
    const metadata = withLanguage(withoutOurs(request.metadata), { query, before });
    const understood = await understandQuestion(query, before, bounds());
    const facts = await reading;
    return {
      query: understood.query,
      said: [query, ...before.map(({ question }) => question)],
      metadata: withFacts(withHistory(metadata, understood.history), facts),
      store: async (response, answered = {}) => {
        const used = reading && factsUsed(facts);
        const named = (used && withMetadata(response, { facts: used })) ?? response;
        const current = place();
        if (current === undefined) return named;
        const { answer } = response;
        const asked = answered.query ?? understood.query;
        const understoodAs = asked === query ? undefined : asked;
        const turn = {
          question: query,
          understoodAs,
          answer: answer ?? '',
          librarian: answered.librarian,
        };
        const isKept =
          answer === undefined ||
          answered.isTurn === false ||
          (await kept(conversations, { place: current, turn, waitUntil }));
        const about = {
          id,
          turns: turns?.length ?? 0,
          ...(understoodAs === undefined ? {} : { understood_as: understoodAs }),
          ...(turns === undefined || !isKept ? { degraded: ['memory'] } : {}),
        };
        return withMetadata(named, { conversation: about }) ?? named;
      },
    };
  };
}

/** Numbers only: the answer goes to people who may not be the person. Undefined when nothing is known. */
const factsUsed = (facts: Facts | undefined) => {
  if (facts === undefined) return { used: 0, tokens: 0, degraded: ['memory'] };
  const { tokens, degraded } = facts;
  return facts.facts.length === 0 && degraded === undefined
    ? undefined
    : { used: facts.facts.length, tokens, ...(degraded === undefined ? {} : { degraded }) };
};

/** False when the turn is known not to be stored. */
const kept = async (
  conversations: Conversations,
  {
    place,
    turn,
    waitUntil,
  }: {
    place: ConversationPlace;
    turn: Parameters<Conversations['remember']>[1];
    waitUntil: WaitUntil;
  },
): Promise<boolean> => {
  // The caller may disconnect after the response.
  const keeping = conversations.remember({ ...place, signal: new AbortController().signal }, turn);
  waitUntil(keeping);
  return waitAtMost(keeping, KEEP_MS, true);
};

type Metadata = Readonly<Record<string, unknown>> | undefined;

/** How long a request waits for the facts about who asks, in milliseconds. */
const RECALL_MS = 1000;

/** Only memories that are stored for the asker count as facts, and only the concierge says why a librarian was chosen. */
const withoutOurs = (metadata: Metadata): Metadata => {
  if (metadata?.[ASKER_FACTS] === undefined && metadata?.[QUESTION_ORIGIN] === undefined)
    return metadata;
  const { [ASKER_FACTS]: _facts, [QUESTION_ORIGIN]: _origin, ...rest } = metadata;
  return rest;
};

/** Adds the language of the conversation for a question that is too short to tell its own. */
const withLanguage = (
  metadata: Metadata,
  { query, before }: { query: string; before: readonly PastTurn[] },
): Metadata => {
  if (detectLanguage(query) !== undefined) return metadata;
  const asked = before.map(({ question }) => question);
  const language = languageOfAsker({
    question: query,
    before: asked,
    known: metadata?.[ASKER_LANGUAGE],
  });
  return language === undefined ? metadata : withMembers(metadata, { [ASKER_LANGUAGE]: language });
};

const withFacts = (
  metadata: Metadata,
  { facts }: Pick<Facts, 'facts'> = { facts: [] },
): Metadata => (facts.length === 0 ? metadata : withMembers(metadata, { [ASKER_FACTS]: facts }));

/** What a forwarded body says about who asks. */
interface AskersRequest {
  metadata?: Metadata | null;
  facts?: boolean | undefined;
}

interface FactsOfBody<Body> {
  schema: z.ZodType<Body>;
  /** What the facts should fit. */
  textOf: (body: Body) => string;
}

/**
 * Adds what is stored about `metadata.person_id` to a body that is forwarded, as `metadata.asker_facts`, and drops what the caller sent
 * under that name. A body that does not fit its schema is unchanged: the function says what is wrong with it.
 */
export function bodiesWithFacts({
  client,
  factTokens = 0,
  now,
}: {
  client: SignedClient;
  factTokens?: number | undefined;
  now: () => number;
}) {
  return <Body extends AskersRequest>({ schema, textOf }: FactsOfBody<Body>) =>
    async (c: Context<GatewayEnv>, workspace: string, maxBytes?: number): Promise<Uint8Array> => {
      const bytes = await jsonBytes(c, maxBytes);
      const read = readJson(bytes, schema);
      if (!read.ok) return bytes;
      const { value } = read;
      const metadata = withoutOurs(value.metadata ?? undefined);
      const key = c.get('apiKey');
      const personId = MemoryId.safeParse(metadata?.person_id).data;
      const isRead =
        personId !== undefined &&
        factTokens > 0 &&
        value.facts !== false &&
        covers(key.capabilities, 'memory:read');
      const asker = {
        workspace,
        subject: `user:${key.id}`,
        audiences: key.audiences ?? [],
        personId,
        traceId: c.get('traceId'),
        signal: c.req.raw.signal,
        now: now(),
      };
      const about = { query: textOf(value), tokens: factTokens };
      const facts = isRead
        ? await conversationsBy(client).facts(asker, about, RECALL_MS)
        : undefined;
      const known = withFacts(metadata, facts);
      return known === (value.metadata ?? undefined)
        ? bytes
        : new TextEncoder().encode(JSON.stringify({ ...value, metadata: known }));
    };
}
