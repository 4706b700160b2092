import { bytesOf, type Sql } from '../../platform/storage/sql.ts';
import type { EditionEntry, EditionIdentity } from '../articles/article.ts';
import { EDITION_VERSION } from '../edition/edition-format.ts';
import type { LargeManifest } from './large-manifest.ts';
import type { LargeState, LargeStateStore } from './large-state.ts';

/** Counts the words of articles, one after the other. */
export interface LexiconCounter {
  add(entry: EditionEntry): void;
  counts(): LexiconCounts;
  /** A file of the edition format without articles. */
  build(identity: EditionIdentity): Uint8Array<ArrayBuffer>;
}

type LexiconCounts = Pick<LargeManifest, 'chunks' | 'wordTotal' | 'meanLengths'>;

interface StoredLexicon extends LexiconCounts {
  bytes: Uint8Array<ArrayBuffer>;
}

/** The words of all passages, counted step by step and stored until they are counted again. */
export interface LexiconStore {
  /** Whether an edition needs them counted again: after a day, or when a fiftieth of the passages was written since. */
  isStale(): boolean;
  /** Whether they were stored by a version whose editions are not read any more. */
  isUnreadable(): boolean;
  /** Counts some more articles; true when all are counted and stored. */
  count(): boolean;
  /** As they were last counted; `undefined` before. */
  read(): StoredLexicon | undefined;
}

const DAY_MS = 86_400_000;
const CHANGED_SHARE = 0.02;
/** Passages counted in one step; some 0.4 s of work. */
const PASSAGES = 2000;
const ROW_BYTES = 1024 * 1024;

interface LexiconParts {
  sql: Sql;
  state: LargeStateStore;
  /** Articles after one, by id. */
  entriesAfter: (id: string) => Iterable<EditionEntry>;
  counterFor: (usual: string) => LexiconCounter;
  identity: () => EditionIdentity;
  now: () => number;
}

/** What is counted is in memory until the end: after a restart counting begins again. */
export function lexiconStore(parts: LexiconParts): LexiconStore {
  const { sql, state, now } = parts;
  let running: { counter: LexiconCounter; after: string } | undefined;

  const store = (counter: LexiconCounter): void => {
    const bytes = counter.build(parts.identity());
    sql.transaction(() => {
      sql.run('DELETE FROM passage_lexicon');
      for (let row = 0; row * ROW_BYTES < bytes.length; row += 1)
        sql.run(
          'INSERT INTO passage_lexicon (row, bytes) VALUES (?, ?)',
          ...[row, bytes.slice(row * ROW_BYTES, (row + 1) * ROW_BYTES)],
        );
      state.change({
        lexicon: {
          ...counter.counts(),
          builtAt: now(),
          formatVersion: EDITION_VERSION,
          changed: 0,
        },
      });
    });
  };

  return {
    isStale: () => isStale(state.read().lexicon, now()),
    isUnreadable: () => {
      const { lexicon } = state.read();
      return lexicon !== undefined && lexicon.formatVersion !== EDITION_VERSION;
    },
    count: () => {
      running ??= { counter: parts.counterFor(state.read().usual ?? 'en'), after: '' };
      let passages = 0;
      for (const entry of parts.entriesAfter(running.after)) {
        running.counter.add(entry);
        running.after = entry.article.id;
        passages += entry.chunks.length;
        if (passages >= PASSAGES) return false;
      }
      store(running.counter);
      running = undefined;
      return true;
    },
    read: () => {
      const { lexicon } = state.read();
      const rows = sql.all<{ bytes: ArrayBuffer | Uint8Array<ArrayBuffer> }>(
        'SELECT bytes FROM passage_lexicon ORDER BY row',
      );
      if (lexicon === undefined || rows.length === 0) return undefined;
      const { chunks, wordTotal, meanLengths } = lexicon;
      return { chunks, wordTotal, meanLengths, bytes: joined(rows) };
    },
  };
}

const isStale = (lexicon: LargeState['lexicon'], now: number): boolean => {
  if (lexicon === undefined) return true;
  const { changed, chunks, builtAt, formatVersion } = lexicon;
  if (formatVersion !== EDITION_VERSION) return true;
  return changed > CHANGED_SHARE * chunks || (changed > 0 && now - builtAt > DAY_MS);
};

const joined = (
  rows: readonly { bytes: ArrayBuffer | Uint8Array<ArrayBuffer> }[],
): Uint8Array<ArrayBuffer> => {
  const parts = rows.map(({ bytes }) => bytesOf(bytes));
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};
