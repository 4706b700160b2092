import type { AskRequest } from '../contract/ask-request.ts';
import type { AIClient } from '../contract/librarian.ts';
import type { LibrarianResponse } from '../contract/response.ts';
import { withMetadata } from '../delegation/trace.ts';
import type { OriginContext } from '../runtime/request-context.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import type { WaitUntil } from '../runtime/wait-until.ts';
import { type ConversationPlace, type Conversations, conversationsBy, personIn } from './conversations.ts';
import { turnsIn, understandQuestion, withHistory } from './understand-question.ts';

/** A request as it is asked, and what becomes of its answer. */
export interface Talk {
  query: string;
  metadata: Readonly<Record<string, unknown>> | undefined;
  /** Keeps the turn, and says in the response how the question was understood. Never throws. */
  told(response: LibrarianResponse, answered?: Answered): Promise<LibrarianResponse>;
}

/** What became of a question on its way. */
interface Answered {
  /** Who answered. */
  librarian?: string | undefined;
  /** The question as a librarian that does not read what was said before was asked. */
  query?: string | undefined;
}

export interface TalkRequest {
  request: AskRequest;
  context: OriginContext;
  signal: AbortSignal;
  waitUntil: WaitUntil;
  /** Within the budgets of the request. */
  ai?: AIClient | undefined;
}

interface TalkParts {
  client: SignedClient;
  now?: (() => number) | undefined;
}

/** Of the time that a caller gives, what the memory may take to tell the turns before. */
const SHARE_OF_RECALLING = 0.2;
const RECALL_MS = 1000;
/** An answer waits so long for its turn to be kept, so that a question that follows at once finds it; the rest is done behind it. */
const KEEP_MS = 100;

/**
 * Reads questions within their conversations (design, section 3, journey 4): the turns before one are those that the memory keeps
 * for `conversation_id`, or those that the caller sends in `metadata.history`.
 */
export const createTalk = ({ client, now = Date.now }: TalkParts): ((asked: TalkRequest) => Promise<Talk>) => {
  const conversations = conversationsBy(client);
  return async ({ request, context, signal, waitUntil, ai }) => {
    const { query, metadata, conversation_id: id } = request;
    const given = turnsIn(metadata);
    const bounds = () => ({ ai, timeLeftMs: context.deadlineMs - now(), signal });
    if (id === undefined) {
      const asked = (await understandQuestion(query, given, bounds())).query;
      return { query: asked, metadata, told: async (response) => response };
    }
    const { workspace, subject, traceId } = context;
    const personId = personIn(metadata);
    const place = (): ConversationPlace => ({ id, workspace, subject, traceId, signal, now: now(), personId });
    const timeLeftMs = context.deadlineMs - now();
    const turns = await conversations.recall(place(), Math.min(RECALL_MS, timeLeftMs * SHARE_OF_RECALLING));
    const understood = await understandQuestion(query, given.length > 0 ? given : (turns ?? []), bounds());
    return {
      query: understood.query,
      metadata: withHistory(metadata, understood.history),
      told: async (response, answered = {}) => {
        const { answer } = response;
        const asked = answered.query ?? understood.query;
        const understoodAs = asked === query ? undefined : asked;
        const turn = { question: query, understoodAs, answer: answer ?? '', librarian: answered.librarian };
        const isKept = answer === undefined || (await kept(conversations, { place: place(), turn, waitUntil }));
        const about = {
          id,
          turns: turns?.length ?? 0,
          ...(understoodAs === undefined ? {} : { understood_as: understoodAs }),
          ...(turns === undefined || !isKept ? { degraded: ['memory'] } : {}),
        };
        return withMetadata(response, { conversation: about }) ?? response;
      },
    };
  };
};

/** False when it is known not to have been kept. */
const kept = async (
  conversations: Conversations,
  {
    place,
    turn,
    waitUntil,
  }: { place: ConversationPlace; turn: Parameters<Conversations['remember']>[1]; waitUntil: WaitUntil },
): Promise<boolean> => {
  // Whoever asked may leave with the answer.
  const keeping = conversations.remember({ ...place, signal: new AbortController().signal }, turn);
  waitUntil(keeping);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), KEEP_MS);
  const isKept = await Promise.race([keeping, promise]);
  clearTimeout(timer);
  return isKept;
};
