import type { EmbeddingProvider } from '../../ai/embeddings/base.ts';
import { QUERY_MAX_LENGTH } from '../../contract/core/names.ts';
import type {
  Memory,
  MemoryDegradation,
  MemoryInput,
  MemoryRecord,
  MemoryStored,
  NearlyFull,
} from '../../contract/wire/memory.ts';
import type { Restored } from '../../contract/wire/moving.ts';
import { questionText } from '../../knowledge/search/retrieve.ts';
import { completedQuestion } from '../../language/complete-question.ts';
import { mapBounded } from '../../platform/concurrency.ts';
import { describeCause, type Log } from '../../platform/log.ts';
import {
  readSettings,
  type SettingsSchema,
  type Variables,
} from '../../platform/settings/settings.ts';
import { wholeNumber } from '../../platform/settings/values.ts';
import { type StoreOptions, StoreUnavailable } from '../../platform/storage/store-unavailable.ts';
import { isTurn, type MemoryStore, mayReadMemory } from './memory-store.ts';

export interface StoringParts {
  store: MemoryStore;
  /** Embeds memories without the cache of queries, which would outlive an erasure. */
  embeddings?: EmbeddingProvider | undefined;
  quotas: MemoryQuotas;
  newId: () => string;
  now: () => number;
  log: Log;
}

/** Upper bounds of a workspace and of the memories of one API key in it; concurrent calls may exceed them by a few. */
interface MemoryQuotas {
  /** Memories that are no turns. */
  memories: number;
  memoriesPerKey: number;
  /** Questions of conversations with their answers. */
  turns: number;
  turnsPerKey: number;
  turnsPerConversation: number;
  turnDays: number;
}

/** `full`: there is no room for this memory. */
type Storing =
  | { ok: true; value: MemoryStored }
  | { ok: false; problem: string; full?: NearlyFull };

/**
 * Stores a memory with its vector, in the name of a subject; refuses it when a quota is used up. A turn of a conversation has quotas of its
 * own: the oldest turns are removed for it. When the model or the index fails, it is stored without one: it is found by its words then, and the
 * response says so.
 *
 * @throws {StoreUnavailable} When the memory could not be stored at all.
 */
export async function storeMemory(
  { related_to: relatedTo, confidence = 1, ...input }: MemoryInput,
  {
    store,
    readable,
    workspaceId,
    signal,
    timeoutMs,
    subject,
    isTurn,
    ...parts
  }: StoringParts & StoringRequest,
): Promise<Storing> {
  const { quotas, newId, now } = parts;
  const missingHere = () => missingOf(relatedTo, (id) => readable.get(workspaceId, id, { signal }));
  // One that the caller may not read is not there for it.
  const missing = await missingHere();
  if (missing !== undefined) return { ok: false, problem: notThere(missing) };
  const memory: Memory = {
    ...input,
    id: newId(),
    workspace_id: workspaceId,
    confidence,
    created_at: new Date(now()).toISOString(),
    stored_by: subject,
    ...(isTurn ? { expires_at: new Date(now() + quotas.turnDays * DAY_MS).toISOString() } : {}),
  };
  const endsAtMs = now() + timeoutMs;
  /** Aborts after half of the remaining time or a few seconds, since later steps need time too. */
  const stepSignal = () =>
    AbortSignal.any([signal, AbortSignal.timeout(shareOf(endsAtMs - now()))]);
  const [used, embedded] = await Promise.all([
    isTurn ? [] : usedQuotas(store, { workspaceId, subject, quotas, signal }),
    embedMemory(memory.content, { ...parts, signal: stepSignal() }),
  ]);
  const full = used.find(({ memories, allowed }) => memories > allowed);
  if (full !== undefined) return { ok: false, full, problem: fullMessage(full) };
  const { isStored, degraded } = await putMemory(memory, {
    store,
    relatedTo,
    signal,
    stepSignal,
    log: parts.log,
    now,
    ...embedded,
  });
  if (isStored) {
    if (isTurn) await removeSurplus(memory, { store, quotas, signal });
    const nearlyFull = used.filter(({ memories, allowed }) => memories >= allowed * NEARLY);
    logQuotas(nearlyFull, { log: parts.log, now: now() });
    return {
      ok: true,
      value: {
        memory,
        ...(degraded.length === 0 ? {} : { degraded }),
        ...(nearlyFull.length === 0 ? {} : { nearly_full: nearlyFull }),
      },
    };
  }
  return { ok: false, problem: notThere((await missingHere()) ?? 'a memory') };
}

const notThere = (missing: string): string =>
  `Cannot store the memory: related_to names ${missing}, which is not in this workspace`;

const DAY_MS = 86_400_000;
/** Share of a quota from which on responses and the log name it. */
const NEARLY = 0.9;

/** Both quotas with this memory counted. */
const usedQuotas = async (
  store: MemoryStore,
  of: { workspaceId: string; subject: string; quotas: MemoryQuotas; signal: AbortSignal },
): Promise<NearlyFull[]> => {
  const { workspaceId, subject: storedBy, quotas, signal } = of;
  const [inWorkspace, ofKey] = await Promise.all([
    store.count(workspaceId, { turns: false }, { signal }),
    store.count(workspaceId, { turns: false, storedBy }, { signal }),
  ]);
  return [
    { scope: 'workspace', memories: inWorkspace + 1, allowed: quotas.memories },
    { scope: 'key', memories: ofKey + 1, allowed: quotas.memoriesPerKey },
  ];
};

const fullMessage = ({ scope, memories, allowed }: NearlyFull): string =>
  `Cannot store the memory: the ${scope === 'key' ? 'API key has stored' : 'workspace has'} ${memories - 1} memories, ${allowed} are allowed`;

/** One line for each whole per cent. */
const logQuotas = (
  quotas: readonly NearlyFull[],
  { log, now }: { log: Log; now: number },
): void => {
  const percent = (memories: number, allowed: number) => Math.floor((memories * 100) / allowed);
  for (const { scope, memories, allowed } of quotas) {
    if (percent(memories, allowed) === percent(memories - 1, allowed)) continue;
    const cause = `${memories} of ${allowed} memories of the ${scope} are stored`;
    log({
      event: 'fault',
      time: now,
      librarian: 'memory',
      where: 'quota',
      code: 'RATE_LIMITED',
      cause,
    });
  }
};

/** A turn is two memories, a question and its answer. */
export const MEMORIES_OF_TURN = 2;

const removeSurplus = async (
  {
    workspace_id: workspaceId,
    stored_by: storedBy = '',
    conversation_id: conversationId = '',
    person_id,
  }: Memory,
  { store, quotas, signal }: { store: MemoryStore; quotas: MemoryQuotas; signal: AbortSignal },
): Promise<void> => {
  const limits = {
    storedBy,
    conversationId,
    personId: person_id,
    perConversation: quotas.turnsPerConversation * MEMORIES_OF_TURN,
    perSubject: quotas.turnsPerKey * MEMORIES_OF_TURN,
    perWorkspace: quotas.turns * MEMORIES_OF_TURN,
  };
  const surplus = await store.surplusTurns(workspaceId, limits, { signal });
  if (surplus.length > 0) await store.erase(workspaceId, surplus, { signal });
};

interface StoringRequest {
  workspaceId: string;
  /** What the caller may read. */
  readable: Pick<MemoryStore, 'get'>;
  /** Subject of the verified context. */
  subject: string;
  isTurn: boolean;
  signal: AbortSignal;
  timeoutMs: number;
}

const shareOf = (leftMs: number): number =>
  Math.max(1, Math.floor(Math.min(leftMs / 2, MAX_STEP_MS)));
const MAX_STEP_MS = 4000;

type Embedded = { vector?: number[] | undefined; degraded: MemoryDegradation[] };

/** The vector of a memory, unless there is no model or it fails. */
const embedMemory = async (
  content: string,
  {
    embeddings,
    log,
    now,
    signal,
  }: Pick<StoringParts, 'embeddings' | 'log' | 'now'> & { signal: AbortSignal },
): Promise<Embedded> => {
  if (embeddings === undefined) return { degraded: [] };
  try {
    return { vector: await embeddings.embed(content, { signal }), degraded: [] };
  } catch (error) {
    logFault(log, { error, now: now(), where: 'embed a memory' });
    return { degraded: ['embeddings'] };
  }
};

/** Stores a memory, without its vector where that fails. `isStored` is false when a related memory is missing. */
const putMemory = async (
  memory: Memory,
  options: Embedded & {
    store: MemoryStore;
    relatedTo: MemoryInput['related_to'];
    signal: AbortSignal;
    stepSignal: () => AbortSignal;
    log: Log;
    now: () => number;
  },
): Promise<{ isStored: boolean; degraded: MemoryDegradation[] }> => {
  const { store, vector, relatedTo, degraded, signal, stepSignal, log, now } = options;
  try {
    const within = vector === undefined ? signal : stepSignal();
    return { isStored: await store.put(memory, { vector, relatedTo, signal: within }), degraded };
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || vector === undefined || signal.aborted) throw error;
    logFault(log, { error, now: now(), where: 'store a vector' });
    // The same id: there is one memory, whatever the first attempt has stored.
    return { isStored: await store.put(memory, { relatedTo, signal }), degraded: ['vectors'] };
  }
};

/** Ids that are related to and not there, for a message; undefined when all are. */
const missingOf = async (
  relatedTo: readonly { memory_id: string }[] = [],
  find: (id: string) => Promise<Memory | undefined>,
): Promise<string | undefined> => {
  const found = await Promise.all(relatedTo.map(({ memory_id }) => find(memory_id)));
  const missing = relatedTo
    .filter((_, at) => found[at] === undefined)
    .map(({ memory_id }) => memory_id);
  return missing.length === 0 ? undefined : missing.slice(0, 5).join(', ');
};

const logFault = (
  log: Log,
  { error, now, where }: { error: unknown; now: number; where: string },
): void =>
  log({
    event: 'fault',
    time: now,
    librarian: 'memory',
    where,
    code: 'SERVICE_UNAVAILABLE',
    cause: describeCause(error),
  });

/** By default the last tenth of a workspace is for other keys. */
const SHARE_OF_KEY = 0.9;
const MOST = { from: 1, to: 10_000_000 };

/** The defaults are the measured capacity of a Durable Object (docs/memory.md). */
export const quotaSettings = {
  MAX_MEMORIES: wholeNumber({
    ...MOST,
    usual: 10_000,
    what: 'Memories of a workspace, without turns of conversations ([quotas](memory.md#quotas))',
  }),
  MAX_MEMORIES_PER_KEY: wholeNumber({
    ...MOST,
    what: 'Those of one API key',
    otherwise: 'nine tenths of MAX_MEMORIES',
  }),
  MAX_TURNS: wholeNumber({
    ...MOST,
    usual: 5000,
    what: 'Turns of conversations of a workspace; the oldest are removed',
  }),
  MAX_TURNS_PER_KEY: wholeNumber({
    ...MOST,
    what: 'Turns of one API key',
    otherwise: 'nine tenths of MAX_TURNS',
  }),
  TURNS_PER_CONVERSATION: wholeNumber({
    from: 1,
    to: 10_000,
    usual: 200,
    what: 'Turns of one conversation',
  }),
  TURN_DAYS: wholeNumber({
    from: 1,
    to: 3650,
    usual: 90,
    what: 'Days until a turn is removed; for turns stored from then on',
  }),
} satisfies SettingsSchema;

/** @throws {SettingRefused} Names a variable that is not a whole number in its range. */
export function readMemoryQuotas(variables: Variables<typeof quotaSettings>): MemoryQuotas {
  const values = readSettings(quotaSettings, variables);
  const { MAX_MEMORIES: memories, MAX_TURNS: turns } = values;
  return {
    memories,
    turns,
    memoriesPerKey: values.MAX_MEMORIES_PER_KEY ?? Math.ceil(memories * SHARE_OF_KEY),
    turnsPerKey: values.MAX_TURNS_PER_KEY ?? Math.ceil(turns * SHARE_OF_KEY),
    turnsPerConversation: values.TURNS_PER_CONVERSATION,
    turnDays: values.TURN_DAYS,
  };
}

/**
 * Stores exported memories with their ids, times and relations, in their order; vectors are made again. One that is there already stays as it
 * is. Refuses what exceeds the workspace's quota, a memory that is related to one that is not there, and what the caller may not read. While
 * the workspace holds memories that the caller may not read, every id that it cannot read is refused, taken or free: else the reply would
 * tell which are taken.
 *
 * @throws {StoreUnavailable} When the store fails; calling it again with the same memories is safe.
 */
export async function restoreMemories(
  records: readonly MemoryRecord[],
  {
    store,
    readable,
    audiences,
    workspaceId,
    signal,
    quotas,
    ...parts
  }: Omit<StoringParts, 'newId'> &
    Pick<StoringRequest, 'workspaceId' | 'signal' | 'readable'> & { audiences: readonly string[] },
): Promise<Restored> {
  const done: Restored = { restored: 0, unchanged: 0, refused: [] };
  const count = (turns: boolean, readableWith?: readonly string[]) =>
    store.count(workspaceId, { turns, readableWith }, { signal });
  const [memories, turns, ...read] = await Promise.all([
    count(false),
    count(true),
    count(false, audiences),
    count(true, audiences),
  ]);
  const used = { memories, turns };
  const isPartlyHidden = read[0] < memories || read[1] < turns;
  const found = await mapBounded(records, async ({ related_to: relatedTo, ...data }) => {
    const memory: Memory = { ...data, workspace_id: workspaceId };
    const isKnown = (await readable.get(workspaceId, memory.id, { signal })) !== undefined;
    const isRefused = !mayReadMemory(audiences, memory) || (!isKnown && isPartlyHidden);
    const embedded =
      isKnown || isRefused ? undefined : await embedMemory(memory.content, { ...parts, signal });
    return { memory, relatedTo, isRefused, embedded };
  });
  for (const { memory, relatedTo, isRefused, embedded } of found) {
    const refuse = (reason: string) =>
      done.refused.push({ id: memory.id, reason: `Cannot restore the memory: ${reason}` });
    const [kind, allowed] = isTurn(memory)
      ? (['turns', quotas.turns * MEMORIES_OF_TURN] as const)
      : (['memories', quotas.memories] as const);
    if (isRefused) refuse(NOT_HELD);
    else if (embedded === undefined) done.unchanged += 1;
    else if (used[kind] >= allowed)
      refuse(`the workspace has ${used[kind]} ${kind}, ${allowed} are allowed`);
    else {
      const stepSignal = () => signal;
      const stored = await putMemory(memory, {
        store,
        relatedTo,
        signal,
        stepSignal,
        ...parts,
        ...embedded,
      });
      if (stored.isStored) {
        done.restored += 1;
        used[kind] += 1;
      } else {
        const missing = await missingOf(relatedTo, (id) =>
          readable.get(workspaceId, id, { signal }),
        );
        refuse(`related_to names ${missing ?? 'a memory'}, which is not in this workspace`);
      }
    }
  }
  return done;
}

const NOT_HELD =
  'the workspace has turns that the key may not read; restore with a key for the audience *';

export interface ErasingParts {
  store: MemoryStore;
  /** Drops the embeddings of texts from every cache; throws when that fails. */
  forgetEmbeddings?:
    | ((texts: readonly string[], options: StoreOptions) => Promise<void>)
    | undefined;
}

interface Erasing {
  workspaceId: string;
  signal: AbortSignal;
}

/**
 * Erases all memories of a person or of a conversation in batches, the newest first. The cached embeddings of a batch are dropped before its
 * memories, since afterwards no one could tell which texts were cached. Repeating it after a failure completes it.
 *
 * @param audiences Of the caller; only memories that it may read are counted.
 * @returns How many memories were removed.
 * @throws {StoreUnavailable}
 */
export async function eraseMemories(
  of: { personId: string } | { conversationId: string },
  {
    store,
    audiences,
    forgetEmbeddings,
    workspaceId,
    signal,
  }: ErasingParts & Erasing & { audiences: readonly string[] },
): Promise<number> {
  for (let erased = 0; ; ) {
    const { memories, next: cursor } = await store.list(
      workspaceId,
      { ...of, limit: BATCH_SIZE },
      { signal },
    );
    if (forgetEmbeddings !== undefined && memories.length > 0) {
      const before = cursor === undefined ? undefined : { ...of, limit: OLDER_MEMORIES, cursor };
      const older =
        before === undefined ? [] : (await store.list(workspaceId, before, { signal })).memories;
      await forgetEmbeddings(embeddedTexts(memories, older), { signal });
    }
    // Also for an empty batch: an interrupted erasure may have left vectors.
    const removed = await store.erase(
      workspaceId,
      memories.map(({ id }) => id),
      { signal },
    );
    const own = new Set(
      memories.filter((memory) => mayReadMemory(audiences, memory)).map(({ id }) => id),
    );
    erased += removed.filter((id) => own.has(id)).length;
    if (memories.length === 0) return erased;
  }
}

const BATCH_SIZE = 50;
/** Older memories that are read with a batch; among them is the question before its oldest one. */
const OLDER_MEMORIES = 8;

/** Erases one memory; false when it does not exist. */
export async function deleteMemory(
  id: string,
  { store, forgetEmbeddings, workspaceId, signal }: ErasingParts & Erasing,
): Promise<boolean> {
  if (forgetEmbeddings !== undefined) {
    const memory = await store.get(workspaceId, id, { signal });
    const conversationId = memory?.conversation_id;
    const listing = { conversationId, limit: 100 };
    const around =
      conversationId === undefined
        ? []
        : (await store.list(workspaceId, listing, { signal })).memories;
    if (memory !== undefined) await forgetEmbeddings(embeddedTexts([memory], around), { signal });
  }
  return store.delete(workspaceId, id, { signal });
}

/**
 * Texts that may have been embedded as queries because of the erased memories: their contents and, for questions of a conversation, their
 * standalone form and their combination with the questions before them. Longer texts than a query may be were never embedded.
 *
 * @param around Other memories of the same conversations.
 * @returns Each once; trimmed, as questions are.
 */
export function embeddedTexts(erased: readonly Memory[], around: readonly Memory[] = []): string[] {
  const texts = new Set(erased.flatMap(formsOf).flatMap((form) => [form, questionText(form, {})]));
  const isErased = new Set(erased.map(({ id }) => id));
  const known = new Map([...erased, ...around].map((memory) => [memory.id, memory]));
  const questions = [...known.values()].filter(({ type }) => type === QUESTION).toSorted(byTime);
  for (const ofOne of Map.groupBy(questions, ({ conversation_id }) => conversation_id).values()) {
    for (const [at, next] of ofOne.entries()) {
      const before = ofOne[at - 1];
      const first = ofOne[at - 2];
      if (
        before === undefined ||
        ![first, before, next].some((each) => each !== undefined && isErased.has(each.id))
      )
        continue;
      // A previous turn that is a follow-up question itself was embedded with the question before it.
      const joined = formsOf(before).flatMap((text) =>
        first === undefined ? [] : formsOf(first).flatMap((each) => completedForms(text, each)),
      );
      const isBeside = isErased.has(before.id) || isErased.has(next.id);
      for (const text of [...(isBeside ? formsOf(before) : []), ...joined]) {
        const said = text.slice(0, MAX_TURN);
        const history = [{ speaker: 'user' as const, text: said }];
        // How sure a follow-up may be is found with the question before it, with both as one, and with the completed one.
        if (joined.includes(text)) texts.add(questionText(said, {}));
        for (const form of formsOf(next)) {
          texts.add(questionText(form, { history }));
          for (const full of [`${said}\n${form}`, ...completedForms(form, said)])
            texts.add(questionText(full, {}));
        }
      }
    }
  }
  return [...texts];
}

/** A follow-up completed by rules, also as a reply to an answer that asked something back; none when it stands alone. */
const completedForms = (form: string, question: string): string[] =>
  ['', '?']
    .map((answer) => completedQuestion(form, { question, answer }))
    .filter((completed) => completed !== form);

/** UTF-16 units of a turn that are embedded with the next question. */
const MAX_TURN = 1500;

/** The type of turns that the gateway stores, with `understood_as` in their metadata. */
const QUESTION = 'question';

const formsOf = ({ content, metadata }: Memory): string[] => {
  const standalone = metadata?.understood_as;
  const forms = [content.trim(), ...(typeof standalone === 'string' ? [standalone.trim()] : [])];
  return forms.filter(({ length }) => length > 0 && length <= QUERY_MAX_LENGTH);
};

const byTime = (one: Memory, other: Memory): number =>
  Date.parse(one.created_at) - Date.parse(other.created_at);
