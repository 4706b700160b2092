import type { Context } from 'hono';
import type * as z from 'zod';
import { ASKER_FACTS, QUESTION_ORIGIN } from '../contract/ask.ts';
import { type Facts, MemoryId } from '../contract/memory.ts';
import { readJson } from '../runtime/json-http.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import { covers } from '../signing/capabilities.ts';
import { conversationsBy } from './conversations.ts';
import { jsonBytes } from './forward.ts';
import type { GatewayEnv } from './request-log.ts';
import { withMembers } from './understand-question.ts';

type Metadata = Readonly<Record<string, unknown>> | undefined;

/** How long a request waits for the facts about who asks, in milliseconds. */
export const RECALL_MS = 1000;

/** Only memories that are stored for the asker count as facts, and only the concierge says why a librarian was chosen. */
export const withoutOurs = (metadata: Metadata): Metadata => {
  if (metadata?.[ASKER_FACTS] === undefined && metadata?.[QUESTION_ORIGIN] === undefined) return metadata;
  const { [ASKER_FACTS]: _facts, [QUESTION_ORIGIN]: _origin, ...rest } = metadata;
  return rest;
};

export const withFacts = (metadata: Metadata, { facts }: Pick<Facts, 'facts'> = { facts: [] }): Metadata =>
  facts.length === 0 ? metadata : withMembers(metadata, { [ASKER_FACTS]: facts });

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
export const bodiesWithFacts =
  ({ client, factTokens = 0, now }: { client: SignedClient; factTokens?: number | undefined; now: () => number }) =>
  <Body extends AskersRequest>({ schema, textOf }: FactsOfBody<Body>) =>
  async (c: Context<GatewayEnv>, workspace: string, maxBytes?: number): Promise<Uint8Array> => {
    const bytes = await jsonBytes(c, maxBytes);
    const read = readJson(bytes, schema);
    if (!read.ok) return bytes;
    const { value } = read;
    const metadata = withoutOurs(value.metadata ?? undefined);
    const key = c.get('apiKey');
    const personId = MemoryId.safeParse(metadata?.person_id).data;
    const isRead =
      personId !== undefined && factTokens > 0 && value.facts !== false && covers(key.capabilities, 'memory:read');
    const asker = {
      ...{ workspace, subject: `user:${key.id}`, audiences: key.audiences ?? [], personId },
      ...{ traceId: c.get('traceId'), signal: c.req.raw.signal, now: now() },
    };
    const about = { query: textOf(value), tokens: factTokens };
    const facts = isRead ? await conversationsBy(client).facts(asker, about, RECALL_MS) : undefined;
    const known = withFacts(metadata, facts);
    return known === (value.metadata ?? undefined)
      ? bytes
      : new TextEncoder().encode(JSON.stringify({ ...value, metadata: known }));
  };
