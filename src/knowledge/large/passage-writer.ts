import type { Sql } from '../../platform/storage/sql.ts';
import { StoreUnavailable } from '../../platform/storage/store-unavailable.ts';
import type { EditionEntry } from '../articles/article.ts';
import { languageOfArticle } from '../edition/collect-words.ts';
import type { HybridIndex, HybridRecord } from './hybrid-index.ts';
import { MAX_TOMBSTONES } from './large-manifest.ts';
import type { LargeStateStore, Pending } from './large-state.ts';
import type { PassageLedger, WrittenVersion } from './passage-ledger.ts';
import { passageRecord } from './passage-record.ts';
import type {
  LargeMode,
  PassageVectors,
  PublicationStep,
  PublishedArticles,
} from './publishing-ports.ts';

/** What one step writes; an upsert of some 2 MB. */
const STEP = { articles: 100, passages: 500 };
const LIMIT_MS = 20_000;
/** Records that queries have to find. */
const SAMPLE = 3;

interface ArticleToWrite {
  id: string;
  hash: string;
  entry: EditionEntry;
}

/** The records of an article, noted and not yet sent. */
interface NewVersion {
  version: WrittenVersion;
  records: HybridRecord[];
}

interface WriterParts {
  sql: Sql;
  workspace: string;
  mode: LargeMode;
  articles: PublishedArticles;
  ledger: PassageLedger;
  state: LargeStateStore;
  indexOf: (generation: number) => HybridIndex;
}

/** Writes the records of articles that the current edition does not have as they are now. */
export function passageWriter(parts: WriterParts): {
  /** Some of them. @throws {StoreUnavailable | EmbeddingFailed} */
  write(pending: Pending): Promise<PublicationStep>;
} {
  const { sql, mode, articles, ledger, state } = parts;
  const { maxTombstones = MAX_TOMBSTONES } = mode;

  const listOf = (audiences: readonly string[] = []): number => {
    const names = JSON.stringify([...audiences].sort());
    const { audienceLists } = state.read();
    const place = audienceLists.findIndex((list) => JSON.stringify(list) === names);
    if (place >= 0) return place;
    sql.transaction(() =>
      state.change({ audienceLists: [...audienceLists, [...audiences].sort()] }),
    );
    return audienceLists.length;
  };

  const versionOf = async (
    { id, hash, entry }: ArticleToWrite,
    vectors: readonly PassageVectors[],
    { born, generation, key }: { born: number; generation: number; key: string },
  ): Promise<NewVersion> => {
    const { text: _text, audiences, ...rest } = entry.article;
    const article = { ...rest, language: languageOfArticle(entry) };
    const audienceList = listOf(audiences);
    const records = await Promise.all(
      entry.chunks.map(({ articleId: _id, ...chunk }, at) => {
        const { dense, sparse } = vectors[at] ?? missingVector();
        const passage = { article, version: hash, chunk, born, audienceList };
        return passageRecord(passage, { workspace: parts.workspace, key, dense, sparse });
      }),
    );
    const ids = records.map((record) => record.id);
    return { version: { article: id, hash, born, generation, ids }, records };
  };

  /**
   * Notes what will be sent, without what was deleted or changed while its records were made: the next edition has that. The number of the edition
   * rises where other records of an article were given the one that it has.
   */
  const note = (made: readonly NewVersion[], born: number): NewVersion[] =>
    sql.transaction(() => {
      const known = articles.known(made.map(({ version }) => version.article));
      const current = made.filter(({ version: { article: id, hash, generation } }) => {
        const isSame = known.get(id)?.hash === hash;
        return isSame && ledger.leastBorn({ id, hash }, generation) <= born;
      });
      state.change({ highest: Math.max(state.read().highest, born) });
      state.changePending({ number: born });
      for (const { version } of current) ledger.note(version);
      return current;
    });

  const commit = (pending: Pending, { noted, after }: { noted: NewVersion[]; after: string }) =>
    sql.transaction(() => {
      const versions = noted.map(({ version }) => version);
      const records = noted.flatMap((each) => each.records);
      ledger.markWritten(versions);
      const ids = versions.map(({ article }) => article);
      const sample = [...pending.sample, ...records.slice(-1)].slice(-SAMPLE);
      state.changePending({
        after,
        written: pending.written + records.length,
        replaced: pending.replaced + ledger.olderCount(ids, pending),
        sample: sample.map(({ id, dense }) => ({ id, dense: [...dense] })),
      });
      const { lexicon } = state.read();
      state.change({
        failure: undefined,
        retryAt: undefined,
        lexicon: lexicon && { ...lexicon, changed: lexicon.changed + records.length },
      });
    });

  const end = ({ isCut }: { isCut: boolean }): void =>
    sql.transaction(() => {
      state.changePending({ isWritten: true });
      // What is left out belongs to the edition after this one, which has to begin.
      if (isCut) state.changePending({ revision: state.read().revision });
    });

  return {
    write: async (pending) => {
      const { generation, after } = pending;
      const current = state.read();
      const isSame = generation === current.generation;
      const position = { generation, shown: isSame ? current.edition : 0, after };
      const room = isSame
        ? maxTombstones - ledger.tombstoneCount() - pending.replaced
        : Number.POSITIVE_INFINITY;
      const limit = Math.max(1, Math.min(STEP.articles, room));
      const batch = batchOf(ledger.unwritten(position, limit), articles);
      const last = batch.at(-1);
      if (last === undefined || room <= 0) {
        end({ isCut: last !== undefined });
        return { next: 'more', writes: 0, passages: 0 };
      }
      const born = batch.reduce(
        (least, article) => Math.max(least, ledger.leastBorn(article, generation)),
        pending.number,
      );
      const entries = batch.map(({ entry }) => entry);
      const vectors = await mode.vectorsOf(entries, current.usual ?? 'en');
      const made: NewVersion[] = [];
      for (const [at, article] of batch.entries())
        made.push(
          await versionOf(article, vectors[at] ?? [], { born, generation, key: current.key }),
        );
      const noted = note(made, born);
      const records = noted.flatMap((each) => each.records);
      const signal = AbortSignal.timeout(LIMIT_MS);
      if (records.length > 0) await parts.indexOf(generation).upsert(records, { signal });
      commit(pending, { noted, after: last.id });
      return { next: 'more', writes: records.length + noted.length, passages: records.length };
    },
  };
}

/** As many articles as make one upsert, at least one. */
const batchOf = (
  due: readonly { id: string; hash: string }[],
  articles: PublishedArticles,
): ArticleToWrite[] => {
  const batch: ArticleToWrite[] = [];
  let passages = 0;
  for (const { id, hash } of due) {
    const entry = articles.entry(id);
    if (entry === undefined) continue;
    passages += entry.chunks.length;
    if (batch.length > 0 && passages > STEP.passages) break;
    batch.push({ id, hash, entry });
  }
  return batch;
};

const missingVector = (): never => {
  throw new StoreUnavailable('malformed', 'Cannot write a passage: it has no vector');
};
