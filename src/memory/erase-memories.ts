import type { Memory } from '../contract/memory.ts';
import { QUERY_MAX_LENGTH } from '../contract/names.ts';
import { questionText } from '../search/retrieve.ts';
import type { MemoryStore } from '../storage/memory-store.ts';
import type { StoreOptions } from '../storage/store-unavailable.ts';

export interface ErasingParts {
  store: MemoryStore;
  /** Drops the embeddings of texts from every cache; throws when that fails. */
  forgetEmbeddings?: ((texts: readonly string[], options: StoreOptions) => Promise<void>) | undefined;
}

interface Erasing {
  workspaceId: string;
  signal: AbortSignal;
}

/**
 * Erases all memories of a person or of a conversation in batches, the newest first. The cached embeddings of a batch are dropped before its
 * memories, since afterwards no one could tell which texts were cached. Repeating it after a failure completes it.
 *
 * @returns How many memories were removed.
 * @throws {StoreUnavailable}
 */
export const eraseMemories = async (
  of: { personId: string } | { conversationId: string },
  { store, forgetEmbeddings, workspaceId, signal }: ErasingParts & Erasing,
): Promise<number> => {
  for (let erased = 0; ; ) {
    const { memories, next: cursor } = await store.list(workspaceId, { ...of, limit: BATCH_SIZE }, { signal });
    if (forgetEmbeddings !== undefined && memories.length > 0) {
      const before = cursor === undefined ? undefined : { ...of, limit: OLDER_MEMORIES, cursor };
      const older = before === undefined ? [] : (await store.list(workspaceId, before, { signal })).memories;
      await forgetEmbeddings(embeddedTexts(memories, older), { signal });
    }
    // Also for an empty batch: an interrupted erasure may have left vectors.
    const removed = await store.erase(
      workspaceId,
      memories.map(({ id }) => id),
      { signal },
    );
    erased += removed.length;
    if (memories.length === 0) return erased;
  }
};

const BATCH_SIZE = 50;
/** Older memories that are read with a batch; among them is the question before its oldest one. */
const OLDER_MEMORIES = 8;

/** Erases one memory; false when it does not exist. */
export const deleteMemory = async (
  id: string,
  { store, forgetEmbeddings, workspaceId, signal }: ErasingParts & Erasing,
): Promise<boolean> => {
  if (forgetEmbeddings !== undefined) {
    const memory = await store.get(workspaceId, id, { signal });
    const conversationId = memory?.conversation_id;
    const listing = { conversationId, limit: 100 };
    const around = conversationId === undefined ? [] : (await store.list(workspaceId, listing, { signal })).memories;
    if (memory !== undefined) await forgetEmbeddings(embeddedTexts([memory], around), { signal });
  }
  return store.delete(workspaceId, id, { signal });
};

/**
 * Texts that may have been embedded as queries because of the erased memories: their contents and, for questions of a conversation, their
 * standalone form and their combination with the questions before them. Longer texts than a query may be were never embedded.
 *
 * @param around Other memories of the same conversations.
 * @returns Each once; trimmed, as questions are.
 */
export const embeddedTexts = (erased: readonly Memory[], around: readonly Memory[] = []): string[] => {
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
      // A previous turn that is a follow-up question itself was embedded with the question before it.
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

/** UTF-16 units of a turn that are embedded with the next question. */
const MAX_TURN = 1500;

/** The type of turns that the gateway stores, with `understood_as` in their metadata. */
const QUESTION = 'question';

const formsOf = ({ content, metadata }: Memory): string[] => {
  const standalone = metadata?.understood_as;
  const forms = [content.trim(), ...(typeof standalone === 'string' ? [standalone.trim()] : [])];
  return forms.filter(({ length }) => length > 0 && length <= QUERY_MAX_LENGTH);
};

const byTime = (one: Memory, other: Memory): number => Date.parse(one.created_at) - Date.parse(other.created_at);
