import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { MemoryId } from '../../contract/core/names.ts';
import {
  Facts,
  type FactsRequest,
  type Memory,
  type MemoryInput,
  MemoryPage,
} from '../../contract/wire/memory.ts';
import { originate } from '../../platform/context/request-context.ts';
import type { SignedClient } from '../../platform/context/signed-client.ts';
import { GatewayError } from '../access/gateway-error.ts';

/** A question of a conversation with its answer. */
export interface PastTurn {
  question: string;
  /** The standalone question, when it differs from the one typed. */
  understoodAs?: string | undefined;
  answer: string;
  /** Id of the librarian that answered. */
  librarian?: string | undefined;
}

/** Owner of a conversation, and the request that reads it. */
export interface ConversationPlace extends Asker {
  id: string;
}

/** Who asks, and the request that does. */
interface Asker {
  workspace: string;
  /** Id of the API key. */
  subject: string;
  /** Whose articles may be read: a turn is stored with them, and read by those who hold them all. */
  audiences: readonly string[];
  traceId: string;
  signal: AbortSignal;
  now: number;
  /** The user, if the request names one: a conversation belongs to its user, and everything stored about a user can be erased. */
  personId?: string | undefined;
}

export interface Conversations {
  /** The last turns, oldest first; undefined when the memory function does not answer in time. */
  recall(place: ConversationPlace, withinMs: number): Promise<PastTurn[] | undefined>;
  /** Stores a turn. False when it was not stored completely. Never throws. */
  remember(place: ConversationPlace, turn: PastTurn): Promise<boolean>;
  /**
   * What is known about the person, else about the conversation if it names none; stored by the same key. Undefined when the memory
   * function does not answer in time.
   */
  facts(
    asker: Asker & { id?: string | undefined },
    about: { query: string; tokens: number },
    withinMs: number,
  ): Promise<Facts | undefined>;
}

/** Memory types of conversation turns. */
const QUESTION = 'question';
const ANSWER = 'answer';
/** Number of the newest memories of a conversation that are read: its last turns, and others stored in between. */
const READ_MEMORIES = 16;
const MAX_TURNS = 4;
const REMEMBER_MS = 5000;

/**
 * Turns of conversations, stored by the memory function in the name of the key's holder and in the workspace of the request. Only
 * memories that this port stored for the same holder and the same user are read as turns; the content of other memories in the conversation cannot
 * make them turns.
 */
export function conversationsBy(
  client: SignedClient,
  { newId = () => crypto.randomUUID() }: { newId?: (() => string) | undefined } = {},
): Conversations {
  return {
    recall: async (place, withinMs) => {
      const query = new URLSearchParams({
        conversation_id: place.id,
        limit: String(READ_MEMORIES),
      });
      if (place.personId !== undefined) query.set('person_id', place.personId);
      const call = {
        to: MEMORY,
        method: 'GET',
        path: `${pathOf(place)}?${query}`,
        signal: place.signal,
      };
      const answer = await client.call(contextOf(place, 'memory:read', withinMs), call);
      if (!answer.ok || answer.status !== 200) return undefined;
      const page = readAs(MemoryPage, answer.json());
      return page.ok ? turnsOf(page.value.memories, place) : undefined;
    },
    remember: async (place, { question, understoodAs, answer, librarian }) => {
      const turn = { turn: newId() };
      const about = {
        ...turn,
        ...(understoodAs === undefined ? {} : { understood_as: understoodAs }),
        ...(librarian === undefined ? {} : { librarian }),
      };
      const stored = await Promise.all([
        store(client, place, { type: QUESTION, content: question, metadata: about }),
        store(client, place, { type: ANSWER, content: answer, metadata: turn }),
      ]);
      return stored.every(Boolean);
    },
    facts: async (asker, { query, tokens }, withinMs) => {
      const { id, personId } = asker;
      const request = {
        query,
        token_budget: tokens,
        ...(personId === undefined ? { conversation_id: id } : { person_id: personId }),
      } satisfies FactsRequest;
      const call = {
        to: MEMORY,
        path: `${pathOf(asker)}/facts`,
        body: JSON.stringify(request),
        signal: asker.signal,
      };
      const answer = await client.call(contextOf(asker, 'memory:read', withinMs), call);
      if (!answer.ok || answer.status !== 200) return undefined;
      const read = readAs(Facts, answer.json());
      return read.ok ? read.value : undefined;
    },
  };
}

const MEMORY = 'memory';

const pathOf = ({ workspace }: Asker): string => `/v1/workspaces/${workspace}/memories`;

const store = async (
  client: SignedClient,
  place: ConversationPlace,
  memory: MemoryInput,
): Promise<boolean> => {
  const { id, personId } = place;
  const body = {
    ...memory,
    conversation_id: id,
    ...(personId === undefined ? {} : { person_id: personId }),
  };
  const call = { to: MEMORY, path: `${pathOf(place)}/turns`, body: JSON.stringify(body) };
  const answer = await client.call(contextOf(place, 'memory:turns:write', REMEMBER_MS), call);
  return answer.ok && answer.status === 201;
};

const contextOf = (
  { subject, workspace, audiences, traceId, now }: Asker,
  capability: string,
  timeoutMs: number,
) =>
  originate({
    self: 'gateway',
    subject,
    workspace,
    authentication: 'key',
    capabilities: [capability],
    audiences,
    timeoutMs: Math.max(1, Math.floor(timeoutMs)),
    now,
    traceId,
  });

const About = z.object({
  turn: z.string().max(64),
  /** Set by the memory function, for turns only; callers that store memories cannot set it. */
  asked_by: z.string().max(200),
  understood_as: z.string().max(8000).optional(),
  librarian: z.string().max(64).optional(),
});

/** Joins questions with their answers. Both are stored at once, so only their metadata shows which belong together. */
const turnsOf = (
  newestFirst: readonly Memory[],
  { subject, personId }: Pick<ConversationPlace, 'subject' | 'personId'>,
): PastTurn[] => {
  const turns = newestFirst.flatMap(({ type, content, person_id, metadata }) => {
    const about = readAs(About, metadata);
    const isOwn = about.ok && about.value.asked_by === subject && person_id === personId;
    return isOwn ? [{ type, content, ...about.value }] : [];
  });
  return turns
    .flatMap(({ type, content, turn, librarian, understood_as: understoodAs }): PastTurn[] => {
      // The first stored one counts and is never replaced.
      const answer = turns.findLast((other) => other.type === ANSWER && other.turn === turn);
      if (type !== QUESTION || answer === undefined) return [];
      return [
        {
          question: content,
          ...(understoodAs === undefined ? {} : { understoodAs }),
          answer: answer.content,
          ...(librarian === undefined ? {} : { librarian }),
        },
      ];
    })
    .slice(0, MAX_TURNS)
    .toReversed();
};

/**
 * The user id in the metadata of a request.
 *
 * @throws {GatewayError} When it is not a valid id: a turn stored without it could not be erased with the user.
 */
export function personIn(
  metadata: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  if (metadata?.person_id === undefined) return undefined;
  const read = MemoryId.safeParse(metadata.person_id);
  if (read.success) return read.data;
  throw new GatewayError('INVALID_QUERY', {
    message:
      'Cannot keep the conversation: metadata.person_id is not an id of 1 to 128 visible ASCII characters',
    suggestion: 'Send an id of the person, without spaces, or leave it out',
  });
}
