import { EmbeddingFailed } from '../../ai/embeddings/base.ts';
import { utf8 } from '../../platform/encoding.ts';
import { earliest } from '../../platform/jobs/job-runner.ts';
import { sha256Hex } from '../../platform/storage/edition-storage.ts';
import type { Sql } from '../../platform/storage/sql.ts';
import { StoreUnavailable } from '../../platform/storage/store-unavailable.ts';
import type { HybridIndex } from './hybrid-index.ts';
import { attachLargeManifest, MAX_TOMBSTONES } from './large-manifest.ts';
import {
  type LargeState,
  largeStateStore,
  lastGeneration,
  type Pending,
  type StateRow,
} from './large-state.ts';
import { lexiconStore } from './lexicon-store.ts';
import { type LedgerPosition, type LedgerView, passageLedger } from './passage-ledger.ts';
import { articleHash } from './passage-record.ts';
import { passageRemoval } from './passage-removal.ts';
import { passageWriter } from './passage-writer.ts';
import { isIndexed, nextNumber } from './publication-rule.ts';
import type { LargeMode, PublicationStep, PublishedArticles } from './publishing-ports.ts';

/** An edition to be stored and made current. */
export interface EditionFile {
  bytes: Uint8Array<ArrayBuffer>;
  digest: string;
  revision: number;
  articles: number;
  chunks: number;
  /** Called in the transaction that would make it current; false when it is out of date. */
  onCurrent: () => boolean;
}

export interface LargePublisherParts {
  sql: Sql;
  workspace: string;
  mode: LargeMode;
  articles: PublishedArticles;
  state: StateRow;
  /** Returns the rows written; `undefined` when `onCurrent` refused it. */
  publishFile: (file: EditionFile) => Promise<number | undefined>;
  now: () => number;
  /** 32 bytes in hexadecimal. */
  newKey: () => string;
}

export interface LargePublisher {
  /** Whether the passages belong into the index. */
  isOn(): boolean;
  /** Whether the current edition is one of large mode. */
  isCurrent(): boolean;
  /** Publishes what was deleted, without the index. Returns the rows written. */
  publishDeletions(): Promise<number>;
  /** Does the next piece of work for an edition. @throws {StoreUnavailable | EmbeddingFailed} The same step follows, after a while. */
  step(): Promise<PublicationStep>;
  /** Removes what no reader needs any more, as far as it is due. @throws {StoreUnavailable} */
  clean(): Promise<void>;
  /** When the next step of an edition can be taken; undefined when none is being published or waits. */
  stepDueAt(): number | undefined;
  /** When there is work outside of a sync. */
  dueAt(): number | undefined;
  /** Revision of the articles that the current edition shows. */
  revision(): number;
  /** Passages written and to be written, and about how long that takes, while an edition is published. */
  progress(): { indexed: number; toIndex: number; secondsLeft: number | undefined } | undefined;
  /** Why nothing is being published now, if that is so. */
  problem(): string | undefined;
  /** The articles are in an edition of their own now. Must be called within a transaction. */
  retire(): void;
  /** Looks up a sample of records before the next publication, since somebody may have emptied the namespace. */
  checkSample(): void;
}

const POLL_MS = 1000;
const MAX_POLL_MS = 15_000;
const LIMIT_MS = 20_000;
const AGAIN_MS = 60_000;
const FIRST_WAIT_MS = 2000;
const MAX_DOUBLINGS = 8;
/** Records looked up to see that the namespace is there. */
const CHECKED = 20;
/** Articles whose languages are detected to find that of most. */
const DETECTED = 200;
/** The newest records of a query; with so many, those that are looked for need not be among them. */
const SAMPLE_LIMIT = 100;
/** Below this share of the limit a base moves back into an edition of its own. */
const BACK_SHARE = 0.8;

const MORE: PublicationStep = { next: 'more', writes: 0, passages: 0 };
const WAITING: PublicationStep = { next: 'waiting', writes: 0, passages: 0 };
const DONE: PublicationStep = { next: 'done', writes: 0, passages: 0 };

/**
 * Publishes a library whose passages are in a hybrid index. Each step commits what it did; after a crash the next one repeats what may be
 * incomplete, which changes nothing that is there: a passage always has the same record.
 */
export function largePublisher(parts: LargePublisherParts): LargePublisher {
  const { sql, mode, articles, now, workspace } = parts;
  const { maxTombstones = MAX_TOMBSTONES } = mode;
  const ledger = passageLedger(sql);
  const state = largeStateStore(parts.state, parts.newKey);
  const indexOf = (generation: number): HybridIndex => mode.indexOf(mode.namespaceOf(generation));
  const createdAt = (): string => new Date(now()).toISOString();
  const removal = passageRemoval({ sql, ledger, state, indexOf, now });
  const writer = passageWriter({ sql, workspace, mode, articles, ledger, state, indexOf });
  const lexicon = lexiconStore({
    sql,
    state,
    now,
    entriesAfter: articles.entriesAfter,
    counterFor: mode.counterFor,
    identity: () => ({ id: LEXICON_EDITION, workspace, createdAt: createdAt() }),
  });

  let buriedRevision: number | undefined;
  /** Articles that are gone are dead, whether or not a manifest says so yet. */
  const buryGone = (): void => {
    const revision = articles.revision();
    if (revision === buriedRevision) return;
    sql.transaction(() => {
      const { edition, highest, changes } = state.read();
      const gone = ledger.gone();
      for (const article of gone) ledger.bury(article, { edition, highest });
      if (gone.length > 0) state.change({ changes: changes + 1 });
    });
    buriedRevision = revision;
  };

  const manifestOf = (current: LargeState, { number, generation }: Shown, view: LedgerView) => {
    const words = lexicon.read();
    if (words === undefined) throw new Error('Cannot publish: the words are not counted');
    const { bytes, ...counts } = words;
    const tombstones = [...view.tombstones].map(([id, born]) => [articleHash(id), born] as const);
    return attachLargeManifest(bytes, {
      ...counts,
      number,
      namespace: mode.namespaceOf(generation),
      key: current.key,
      space: mode.space,
      articles: view.articles,
      deadShare: Math.min(0.95, view.deadShare),
      tombstones: Object.fromEntries(tombstones),
      audienceLists: current.audienceLists,
    });
  };

  /** Publishes the manifest of the current edition, or of the pending one; what changes meanwhile is in the next attempt. */
  const publishManifest = async (isNext: boolean): Promise<number> => {
    for (;;) {
      const current = state.read();
      const { pending, changes } = current;
      const next = isNext ? pending : undefined;
      if (isNext && next === undefined) return 0;
      const shown: Shown = next ?? {
        number: current.edition,
        generation: current.generation,
        revision: current.revision,
      };
      const view = ledger.view({ ...positionOf(current, shown.generation), isNext });
      const about = `${current.key} ${shown.generation} ${shown.number} ${changes} ${isNext}`;
      const writes = await parts.publishFile({
        bytes: manifestOf(current, shown, view),
        digest: await sha256Hex(utf8(about)),
        revision: shown.revision,
        articles: view.articles,
        chunks: view.chunks,
        onCurrent: () => {
          const latest = state.read();
          const isSame = latest.changes === changes && latest.pending?.number === pending?.number;
          if (!isSame) return false;
          if (next === undefined) state.change({ published: changes });
          else makeCurrent(latest, next);
          ledger.publishDead(now());
          return true;
        },
      });
      if (writes !== undefined) return writes;
    }
  };

  const makeCurrent = (current: LargeState, pending: Pending): void => {
    const { generation, number, revision } = pending;
    ledger.flip(positionOf(current, generation));
    const isMoved = current.edition > 0 && current.generation !== generation;
    const left = { generation: current.generation, at: now() };
    const changes = current.changes + 1;
    state.change({
      edition: number,
      generation,
      revision,
      changes,
      published: changes,
      madeWith: mode.madeWith,
      pending: undefined,
      failure: undefined,
      retryAt: undefined,
      retired: isMoved ? [...current.retired, left] : current.retired,
    });
  };

  const begin = async (): Promise<PublicationStep> => {
    const current = state.read();
    const revision = articles.revision();
    const isSame = current.edition > 0 && current.madeWith === mode.madeWith;
    if (isSame && !current.isChecked) return checkRecords(current);
    if (isSame && current.revision === revision) return DONE;
    const generation = isSame ? current.generation : lastGeneration(current) + 1;
    const position = { ...positionOf(current, generation), after: '' };
    if (isSame && ledger.unwritten(position, 1).length === 0) {
      sql.transaction(() => state.change({ revision }));
      return DONE;
    }
    if (isSame && ledger.tombstoneCount() >= maxTombstones) return wait(AGAIN_MS);
    const total = ledger.unwrittenPassages(position);
    const usual = isSame ? current.usual : mode.usualOf(first(articles.entriesAfter(''), DETECTED));
    sql.transaction(() => {
      const number = nextNumber(current);
      const pending = newPending({ number, generation, revision, total, startedAt: now() });
      state.change({ highest: number, usual, isChecked: true, pending });
    });
    return MORE;
  };

  /** A namespace that lacks records of the current edition was emptied: another one is filled. */
  const checkRecords = async ({ generation }: LargeState): Promise<PublicationStep> => {
    const ids = ledger.sample(generation, CHECKED);
    const stored = await indexOf(generation).stored(ids, limited());
    const isWhole = ids.every((id) => stored.has(id));
    sql.transaction(() => state.change({ isChecked: true, ...(isWhole ? {} : { madeWith: '' }) }));
    return MORE;
  };

  const wait = (ms: number): PublicationStep => {
    sql.transaction(() => state.change({ retryAt: now() + ms }));
    return WAITING;
  };

  /** Asks at growing intervals whether queries find what was written. */
  const waitForIndex = async (pending: Pending): Promise<PublicationStep> => {
    const index = indexOf(pending.generation);
    const zeros = (await index.pending(limited())) === 0 ? pending.zeros + 1 : 0;
    const hits = zeros >= 2 ? await sampleHits(index, pending) : 0;
    if (isIndexed({ zeros, sample: pending.sample.length, hits }))
      return { next: 'more', writes: await publishManifest(true), passages: 0 };
    const askedSince = pending.askedSince ?? now();
    sql.transaction(() => state.changePending({ zeros, askedSince }));
    return wait(Math.min(MAX_POLL_MS, Math.max(POLL_MS, (now() - askedSince) / 4)));
  };

  const sampleHits = async (index: HybridIndex, { sample }: Pending): Promise<number> => {
    if (sample.length === 0) return 0;
    const filter = [{ field: 'b', atLeast: state.read().edition + 1 }];
    const queries = sample.map(({ dense }) => ({ dense }));
    const lists = await index.query(queries, { limit: SAMPLE_LIMIT, filter, ...limited() });
    return sample.filter(({ id }, at) => {
      const list = lists[at] ?? [];
      return list.length >= SAMPLE_LIMIT || list.some((hit) => hit.id === id);
    }).length;
  };

  const count = (): PublicationStep => {
    if (!lexicon.isStale() || lexicon.count())
      sql.transaction(() => state.changePending({ isCounted: true }));
    return MORE;
  };

  /** After a deployment whose editions have another format. */
  const recount = (): PublicationStep => {
    if (lexicon.count()) sql.transaction(() => state.change({ changes: state.read().changes + 1 }));
    return MORE;
  };

  const nextStep = async (): Promise<PublicationStep> => {
    buryGone();
    if (state.read().edition > 0 && lexicon.isUnreadable()) return recount();
    const { retryAt, changes, published, edition, pending } = state.read();
    if (edition > 0 && changes > published)
      return { next: 'more', writes: await publishManifest(false), passages: 0 };
    if (retryAt !== undefined && retryAt > now()) return WAITING;
    if (pending === undefined) return begin();
    if (!pending.isWritten) return writer.write(pending);
    return pending.isCounted ? waitForIndex(pending) : count();
  };

  let counted: { revision: number; passages: number } | undefined;
  /** Counting reads every article. */
  const passagesNow = (): number => {
    const revision = articles.revision();
    if (counted?.revision !== revision) counted = { revision, passages: articles.chunkCount() };
    return counted.passages;
  };

  // One at a time: each reads what the one before has committed.
  let running: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const result = running.then(work);
    running = result.catch(() => undefined);
    return result;
  };

  const stepDueAt = (): number | undefined => {
    const { pending, retryAt } = state.read();
    if (retryAt !== undefined && retryAt > now()) return retryAt;
    return pending === undefined ? undefined : now();
  };

  const noteFailure = (error: unknown): void =>
    sql.transaction(() => {
      const count = (state.read().failure?.count ?? 0) + 1;
      const retryAt = now() + FIRST_WAIT_MS * 2 ** Math.min(count - 1, MAX_DOUBLINGS);
      state.change({ failure: { reason: reasonOf(error), count, at: now() }, retryAt });
    });

  return {
    isOn: () => {
      const isCurrent = state.read().edition > 0;
      return passagesNow() >= mode.fromPassages * (isCurrent ? BACK_SHARE : 1);
    },
    isCurrent: () => state.read().edition > 0,
    publishDeletions: async () => {
      buryGone();
      const { edition, changes, published } = state.read();
      return edition > 0 && changes > published ? publishManifest(false) : 0;
    },
    step: () =>
      alone(async () => {
        try {
          return await nextStep();
        } catch (error) {
          noteFailure(error);
          throw error;
        }
      }),
    clean: () =>
      alone(async () => {
        if ((removal.dueAt() ?? Number.POSITIVE_INFINITY) > now()) return;
        const isChanged = await removal.run();
        if (isChanged && state.read().edition > 0) await publishManifest(false);
      }),
    stepDueAt,
    dueAt: () => earliest(stepDueAt(), removal.dueAt()),
    revision: () => state.read().revision,
    progress: () => progressOf(state.read().pending, now()),
    problem: () => {
      const tombstones = ledger.tombstoneCount();
      return problemOf(state.read(), { tombstones, isFull: tombstones >= maxTombstones });
    },
    retire: () => {
      const current = state.read();
      const { edition, generation, pending, retired } = current;
      const left = new Set<number>();
      if (edition > 0) left.add(generation);
      if (pending !== undefined) left.add(pending.generation);
      if (left.size === 0) return;
      const at = now();
      state.change({
        edition: 0,
        generation: lastGeneration(current),
        madeWith: '',
        pending: undefined,
        retired: [...retired, ...[...left].map((each) => ({ generation: each, at }))],
      });
    },
    checkSample: () => {
      if (state.read().edition > 0) state.change({ isChecked: false });
    },
  };
}

/** What an edition shows. */
interface Shown {
  number: number;
  generation: number;
  revision: number;
}

/** No edition that is published has this id. */
const LEXICON_EDITION = 'e000000-00000000';

/** What the current edition shows of a generation: nothing of one that is being filled. */
const positionOf = (
  { generation: current, edition }: LargeState,
  generation: number,
): Omit<LedgerPosition, 'after'> => ({
  generation,
  shown: generation === current ? edition : 0,
});

const newPending = (
  begin: Pick<Pending, 'number' | 'generation' | 'revision' | 'total' | 'startedAt'>,
): Pending => ({
  ...begin,
  after: '',
  isWritten: false,
  isCounted: false,
  written: 0,
  replaced: 0,
  zeros: 0,
  sample: [],
});

const first = <T>(values: Iterable<T>, count: number): T[] => {
  const some: T[] = [];
  for (const value of values) {
    some.push(value);
    if (some.length === count) break;
  }
  return some;
};

const limited = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(LIMIT_MS) });

type FailureReason = NonNullable<LargeState['failure']>['reason'];

const reasonOf = (error: unknown): FailureReason => {
  if (error instanceof StoreUnavailable) return error.reason;
  return error instanceof EmbeddingFailed ? 'model' : 'unavailable';
};

const progressOf = (
  pending: Pending | undefined,
  now: number,
): ReturnType<LargePublisher['progress']> => {
  if (pending === undefined) return undefined;
  const { written, total, startedAt } = pending;
  const toIndex = Math.max(total, written);
  const perPassageMs = written === 0 ? undefined : (now - startedAt) / written;
  const secondsLeft = perPassageMs && Math.ceil((perPassageMs * (toIndex - written)) / 1000);
  return { indexed: written, toIndex, secondsLeft };
};

const PROBLEMS: Record<FailureReason, string> = {
  refused: 'the index refuses requests. Check its token, its plan and its limits',
  rate_limited: 'the index asks to wait (status 429)',
  unavailable: 'the index does not answer',
  malformed: 'the index answers in another form than expected',
  aborted: 'the index does not answer in time',
  model: 'the embedding model does not answer',
};

const problemOf = (
  { failure }: LargeState,
  { tombstones, isFull }: { tombstones: number; isFull: boolean },
): string | undefined => {
  if (failure !== undefined) return `Cannot publish now: ${PROBLEMS[failure.reason]}`;
  return isFull
    ? `Cannot publish now: ${tombstones} articles were changed or deleted, and their old passages have to be removed first; it continues by itself`
    : undefined;
};
