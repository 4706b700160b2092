import type { AskRequest } from '../contract/ask-request.ts';
import type { AIClient } from '../contract/librarian.ts';
import type { LibrarianResponse } from '../contract/response.ts';
import { withMetadata } from '../delegation/trace.ts';
import { waitAtMost } from '../http/deadline.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import type { WaitUntil } from '../runtime/wait-until.ts';
import type { OriginContext } from '../signing/request-context.ts';
import { type ConversationPlace, type Conversations, conversationsBy, personIn } from './conversations.ts';
import { turnsIn, understandQuestion, withHistory } from './understand-question.ts';

/** A request with its standalone question, and what to do with its answer. */
export interface Talk {
  query: string;
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
}

export interface TalkRequest {
  request: AskRequest;
  context: OriginContext;
  signal: AbortSignal;
  waitUntil: WaitUntil;
  /** Bounded by the budgets of the request. */
  ai?: AIClient | undefined;
}

interface TalkParts {
  client: SignedClient;
  now?: (() => number) | undefined;
}

/** Share of the request's deadline that reading the previous turns may take. */
const SHARE_OF_RECALLING = 0.2;
const RECALL_MS = 1000;
/**
 * How long a response waits until its turn is stored, so that an immediate follow-up question finds it; the rest continues in the
 * background.
 */
const KEEP_MS = 100;

/**
 * Reads questions in their conversations: the previous turns are those stored for
 * `conversation_id`, or those that the caller sends in `metadata.history`.
 */
export const createTalk = ({ client, now = Date.now }: TalkParts): ((asked: TalkRequest) => Promise<Talk>) => {
  const conversations = conversationsBy(client);
  return async ({ request, context, signal, waitUntil, ai }) => {
    const { query, metadata, conversation_id: id } = request;
    const given = turnsIn(metadata);
    const bounds = () => ({ ai, timeLeftMs: context.deadlineMs - now(), signal });
    if (id === undefined) {
      const asked = (await understandQuestion(query, given, bounds())).query;
      return { query: asked, metadata, store: async (response) => response };
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
      store: async (response, answered = {}) => {
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

/** False when the turn is known not to be stored. */
const kept = async (
  conversations: Conversations,
  {
    place,
    turn,
    waitUntil,
  }: { place: ConversationPlace; turn: Parameters<Conversations['remember']>[1]; waitUntil: WaitUntil },
): Promise<boolean> => {
  // The caller may disconnect after the response.
  const keeping = conversations.remember({ ...place, signal: new AbortController().signal }, turn);
  waitUntil(keeping);
  return waitAtMost(keeping, KEEP_MS, true);
};
