import { WORD_VECTORS_MODEL } from '../../ai/embeddings/word-vectors.ts';
import { vectorsOf } from '../../search/edition-vectors.ts';
import type { MeaningOf } from '../../search/meaning.ts';
import type { Edition } from '../../search/open-edition.ts';
import type { Retriever } from '../../search/retrieve.ts';
import type { Knowledge, KnowledgeQuestion } from '../retrieval/knowledge.ts';
import type { KnowledgeScope } from '../retrieval/knowledge-scope.ts';
import { retrieveKnowledge } from '../retrieval/retrieve-knowledge.ts';
import { withinTime } from '../retrieval/within-time.ts';
import { recheckGaps } from './recheck-gaps.ts';
import { recordGaps } from './record-gaps.ts';
import type { GapBooks } from './remote-gap-book.ts';

export interface GapKeeperParts {
  books: GapBooks;
  /** The current edition of the workspace that a verified context names: `currentEdition`. */
  editionFor: (scope: KnowledgeScope) => Promise<Edition>;
  /** `createRetriever`. */
  retrieve: Retriever;
  /** Takes personal data out of a text before it is kept. */
  mask: (text: string) => string;
  /** What a text means; absent: gaps are told apart by their words. */
  meaningOf?: MeaningOf | undefined;
  now?: (() => number) | undefined;
  /** Told of what failed; nobody waits for it. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

/** Keeps the gaps that are met, and closes what newer editions answer. Nothing of it rejects. */
export interface GapKeeper {
  /** To be done after an answer: keeps its gaps, and compares the open ones with an edition that is new here. */
  met(
    question: KnowledgeQuestion,
    found: { knowledge: Knowledge; edition: Edition | undefined },
    scope: KnowledgeScope,
  ): Promise<void>;
  /** Closes what the current edition answers, as far as that takes no long time; that edition. */
  refresh(scope: KnowledgeScope): Promise<string | undefined>;
  /** The same for every workspace that has gaps, all of them. */
  sweep(scopeOf: (workspace: string) => KnowledgeScope): Promise<void>;
}

const CHECKED_AFTER_ANSWER = 200;
const CHECKED_ON_LISTING = 100;
const LISTING_MS = 1500;
const CHECKED_BY_SWEEP = 2000;
/** Of the fifteen minutes that a schedule may take. */
const SWEEP_MS = 600_000;
const SWEPT_WORKSPACE_MS = 60_000;
/** A library that hangs, or is gone, costs the others no more than this. */
const SWEEP_EDITION_MS = 10_000;
const HOUR_MS = 3_600_000;
const MEANING_MS = 2000;
/** Workspaces whose last compared edition is remembered. */
const MAX_REMEMBERED = 1000;

/** One for an isolate. */
export const createGapKeeper = (parts: GapKeeperParts): GapKeeper => {
  const { books, editionFor, retrieve, mask, meaningOf, now = Date.now, onFault } = parts;
  const compared = new Map<string, string>();

  const recheck = (edition: Edition, scope: KnowledgeScope, bounds: { limit: number; untilMs?: number }) =>
    recheckGaps(edition, {
      ...{ book: books.of(scope.context.workspace), now, ...bounds },
      // What was kept when less was masked is masked now.
      ask: (question) => retrieveKnowledge(question, { edition, retrieve, mask, now, ...scope }),
    });

  const compareOnce = async (edition: Edition, scope: KnowledgeScope): Promise<void> => {
    const { workspace } = scope.context;
    if (compared.get(workspace) === edition.id) return;
    if (compared.size >= MAX_REMEMBERED) compared.clear();
    compared.set(workspace, edition.id);
    try {
      await recheck(edition, scope, { limit: CHECKED_AFTER_ANSWER });
    } catch (error) {
      // Whoever comes next tries again.
      compared.delete(workspace);
      throw error;
    }
  };

  /**
   * Only where the edition has vectors is there a model to ask, and only one that it was made with compares. Word vectors are too
   * coarse to tell that two gaps are one: opposites are close.
   */
  const meaningBy = (edition: Edition, { context, waitUntil }: KnowledgeScope) => {
    const space = vectorsOf(edition)?.space;
    if (meaningOf === undefined || space === undefined || space.model === WORD_VECTORS_MODEL) return undefined;
    return async (text: string) => {
      const signal = AbortSignal.timeout(MEANING_MS);
      const asked = meaningOf(text, { wants: 'vector', workspace: context.workspace, signal, waitUntil });
      const { model, vector } = await asked.catch(() => ({ model: '', vector: undefined }));
      return vector === undefined || model !== space.model ? undefined : { model, vector };
    };
  };

  const quietly = async <T>(where: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      onFault?.(where, error);
      return undefined;
    }
  };

  return {
    met: async (question, { knowledge, edition }, scope) => {
      if (edition === undefined) return;
      const book = books.of(scope.context.workspace);
      await quietly('record gaps', () =>
        recordGaps(question, knowledge, { book, mask, meaningOf: meaningBy(edition, scope), now: now() }),
      );
      await quietly('compare gaps', () => compareOnce(edition, scope));
    },
    refresh: (scope) =>
      quietly('compare gaps', async () => {
        const untilMs = now() + LISTING_MS;
        const edition = await withinTime(editionFor(scope), { ms: LISTING_MS });
        const bounds = { limit: CHECKED_ON_LISTING, untilMs };
        await quietly('compare gaps', () => withinTime(recheck(edition, scope, bounds), { ms: LISTING_MS }));
        return edition.id;
      }),
    sweep: async (scopeOf) => {
      const workspaces = (await quietly('list workspaces with gaps', () => books.workspaces())) ?? [];
      const startedAt = now();
      // Another one is the first each hour, so that none is left out whenever the time does not suffice for all.
      const first = Math.floor(startedAt / HOUR_MS) % Math.max(1, workspaces.length);
      for (const workspace of [...workspaces.slice(first), ...workspaces.slice(0, first)]) {
        if (now() > startedAt + SWEEP_MS) return;
        await quietly('compare gaps', async () => {
          const scope = scopeOf(workspace);
          const edition = await withinTime(editionFor(scope), { ms: SWEEP_EDITION_MS });
          await recheck(edition, scope, { limit: CHECKED_BY_SWEEP, untilMs: now() + SWEPT_WORKSPACE_MS });
        });
      }
    },
  };
};
