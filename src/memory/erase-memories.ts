import type { Memory } from '../contract/memory.ts';
import { QUERY_MAX_LENGTH } from '../contract/query.ts';
import { questionText } from '../search/question-text.ts';
import type { StoreOptions } from '../storage/embedding-store.ts';
import type { MemoryStore } from '../storage/memory-store.ts';

export interface ErasingParts {
  store: MemoryStore;
  /** Drops the embeddings of texts from every cache. Throws when it cannot. */
  forgetEmbeddings?: ((texts: readonly string[], options: StoreOptions) => Promise<void>) | undefined;
}

interface Erasing {
  workspaceId: string;
  signal: AbortSignal;
}

/**
 * Removes all of a person or of a conversation, the newest first: reads some, has the caches forget what was embedded for these, and
 * removes these. Once they are gone nobody could tell what there is to forget. Repeated after a failure it finishes.
 *
 * @returns How many memories were removed.
 * @throws {StoreUnavailable}
 */
export const eraseMemories = async (
  of: { personId: string } | { conversationId: string },
  { store, forgetEmbeddings, workspaceId, signal }: ErasingParts & Erasing,
): Promise<number> => {
  for (let erased = 0; ; ) {
    const { memories, next: cursor } = await store.list(workspaceId, { ...of, limit: ERASED_AT_ONCE }, { signal });
    if (forgetEmbeddings !== undefined && memories.length > 0) {
      const before = cursor === undefined ? undefined : { ...of, limit: TURN_BEFORE, cursor };
      const older = before === undefined ? [] : (await store.list(workspaceId, before, { signal })).memories;
      await forgetEmbeddings(askedTexts(memories, older), { signal });
    }
    // Also when there are none: an erasure that broke off may have left vectors.
    const removed = await store.erase(
      workspaceId,
      memories.map(({ id }) => id),
      { signal },
    );
    erased += removed.length;
    if (memories.length === 0) return erased;
  }
};

const ERASED_AT_ONCE = 50;
/** Memories behind them, among which the question before the oldest of them is. */
const TURN_BEFORE = 8;

/** The same for one memory; false when there was none. */
export const deleteMemory = async (
  id: string,
  { store, forgetEmbeddings, workspaceId, signal }: ErasingParts & Erasing,
): Promise<boolean> => {
  if (forgetEmbeddings !== undefined) {
    const memory = await store.get(workspaceId, id, { signal });
    const conversationId = memory?.conversation_id;
    const listing = { conversationId, limit: 100 };
    const around = conversationId === undefined ? [] : (await store.list(workspaceId, listing, { signal })).memories;
    if (memory !== undefined) await forgetEmbeddings(askedTexts([memory], around), { signal });
  }
  return store.delete(workspaceId, id, { signal });
};

/**
 * Texts that may have been embedded to look for something, when memories that are erased were written or searched for: what stands in
 * them, and, of questions of a conversation, how they were understood and what stood before them. What was longer than a question may
 * be was none.
 *
 * @param around Other memories of these conversations: what was asked before or after what is erased.
 * @returns Each once; trimmed, as questions are.
 */
export const askedTexts = (erased: readonly Memory[], around: readonly Memory[] = []): string[] => {
  const texts = new Set(erased.flatMap(formsOf).flatMap((form) => [form, questionText(form, {})]));
  const isErased = new Set(erased.map(({ id }) => id));
  const known = new Map([...erased, ...around].map((memory) => [memory.id, memory]));
  const questions = [...known.values()].filter(({ type }) => type === QUESTION).toSorted(byTime);
  for (const ofOne of Map.groupBy(questions, ({ conversation_id }) => conversation_id).values()) {
    for (const [at, next] of ofOne.entries()) {
      const before = ofOne[at - 1];
      const first = ofOne[at - 2];
      if (before === undefined || ![first, before, next].some((each) => each !== undefined && isErased.has(each.id)))
        continue;
      // A turn that is a follow-up question itself goes along behind the one before it.
      const joined = formsOf(before).flatMap((text) =>
        first === undefined ? [] : formsOf(first).map((each) => `${each} ${text}`),
      );
      const isBeside = isErased.has(before.id) || isErased.has(next.id);
      for (const text of [...(isBeside ? formsOf(before) : []), ...joined]) {
        const history = [{ speaker: 'user' as const, text: text.slice(0, MAX_TURN) }];
        for (const form of formsOf(next)) texts.add(questionText(form, { history }));
      }
    }
  }
  return [...texts];
};

/** Of a turn so much goes along with the next question. */
const MAX_TURN = 1500;

/** As the gateway stores the turns of a conversation, with `understood_as` in the metadata. */
const QUESTION = 'question';

const formsOf = ({ content, metadata }: Memory): string[] => {
  const understood = metadata?.understood_as;
  const forms = [content.trim(), ...(typeof understood === 'string' ? [understood.trim()] : [])];
  return forms.filter(({ length }) => length > 0 && length <= QUERY_MAX_LENGTH);
};

const byTime = (one: Memory, other: Memory): number => Date.parse(one.created_at) - Date.parse(other.created_at);
