import { KnowledgeFile } from '../../contract/navigator-response.ts';
import type { SkippedArticle } from '../../contract/sync.ts';
import type { Sql } from '../../storage/sql.ts';
import { hashArticle } from '../articles/hash-article.ts';
import { ArticleRefused, type NormaliseOptions } from '../articles/normalise-article.ts';
import { takeInArticle } from '../articles/take-in-article.ts';
import type { ArticleStore } from './article-store.ts';
import type { ChunkEmbedder, EmbeddingStep } from './embed-chunks.ts';
import { HostKbError } from './fetch-host-json.ts';
import type { HostKbClient, HostPage } from './host-kb-client.ts';
import type { LibraryState } from './library-state.ts';
import { addSkipped, addWarnings, SyncRun } from './sync-run.ts';
import type { StagedArticle, SyncStore } from './sync-store.ts';
import type { VectorStore } from './vector-store.ts';

export interface SyncParts {
  sql: Sql;
  state: LibraryState;
  articles: ArticleStore;
  sync: SyncStore;
  client: () => HostKbClient;
  normalise: NormaliseOptions;
  vectors: Pick<VectorStore, 'wantedCount' | 'missingCount'>;
  /** Where there is an embedding model. */
  embedder?: ChunkEmbedder | undefined;
}

/** A sync removes nothing when more than this share of the host's articles would go (design 7.8). */
const DELETION_LIMIT = 0.3;

const MAX_PAGES = 2000;
/** What one step takes in: some 0.3 s of work. */
const BATCH = { maxArticles: 50, maxBytes: 500_000 };

/**
 * Takes a sync one step further: one page, one comparison or one batch. What a step writes it writes in one transaction
 * together with the run, so that a crash between two steps, or within one, costs at most that step's work.
 *
 * @throws {HostKbError} When the listing cannot be read or not be trusted.
 */
export const stepSync = async (run: SyncRun, parts: SyncParts): Promise<void> => {
  if (run.phase === 'listing') await stepListing(run, parts);
  else if (run.phase === 'comparing') commitStep(run, parts, compare);
  else if (run.phase === 'chunking') commitStep(run, parts, takeInBatch);
  else if (run.phase === 'embedding') await stepEmbedding(run, parts);
};

/**
 * Stores what `change` makes of the run as it is stored now; `undefined` ends it. Does nothing when another step came
 * between.
 */
export const commit = (
  { id, step }: SyncRun,
  sql: Sql,
  state: LibraryState,
  change: (run: SyncRun) => SyncRun | undefined,
): void =>
  sql.transaction(() => {
    const stored = SyncRun.optional().parse(state.read('run'));
    if (stored?.id !== id || stored.step !== step) return;
    const run = change(stored);
    state.write('run', run && { ...run, step: step + 1 });
  });

/** Commits a step that works on the run in place. */
const commitStep = (run: SyncRun, parts: SyncParts, work: (run: SyncRun, parts: SyncParts) => void): void =>
  commit(run, parts.sql, parts.state, (stored) => {
    work(stored, parts);
    return { ...stored, failures: 0 };
  });

const stepListing = async (run: SyncRun, parts: SyncParts): Promise<void> => {
  const { updatedSince, cursor } = run;
  if (run.pages >= MAX_PAGES) throw new HostKbError(`more than ${MAX_PAGES} pages`);
  const page = await parts.client().readPage({ updatedSince }, cursor);
  const hashed = await Promise.all(page.articles.map(async (reply) => ({ reply, hash: await hashArticle(reply) })));
  commitStep(run, parts, (stored) => addPage(stored, { page, hashed }, parts));
};

const addPage = (
  run: SyncRun,
  { page, hashed }: { page: HostPage; hashed: StagedArticle[] },
  parts: SyncParts,
): void => {
  const { sync, articles } = parts;
  const ids = [...new Set([...hashed.map(({ reply }) => reply.id), ...page.skipped.map(({ id }) => id)])];
  const before = sync.listed(ids);
  const known = articles.known(ids);
  addSkipped(run, page.skipped);
  run.nameless += page.skipped.filter(({ id }) => !KnowledgeFile.safeParse(id).success || id.startsWith('(')).length;
  const seen = new Set(before);
  for (const article of hashed) {
    const { id } = article.reply;
    const version = known.get(id);
    const problem = seen.has(id) ? 'its id was listed before' : version?.owner === 'local' ? LOCAL : undefined;
    seen.add(id);
    if (problem) addSkipped(run, [{ id, reason: `Cannot take in the article: ${problem}` }]);
    else if (version?.hash === article.hash || sync.isTombstone(id)) run.unchanged += 1;
    else sync.stage(article);
  }
  // A host that does not page sends the same again and again; one that loops, the same cursor.
  const isRepeated = run.cursor?.kind === 'count' && ids.length > 0 && ids.every((id) => before.has(id));
  const next = isRepeated ? undefined : page.next;
  sync.addPage({ number: run.pages, cursor: JSON.stringify(run.cursor ?? null), ids });
  if (next && sync.hasCursor(JSON.stringify(next))) throw new HostKbError('its pages lead in a circle');
  run.pages += 1;
  run.received += isRepeated ? 0 : page.received;
  if (page.total !== undefined) run.total = page.total;
  if (next) run.cursor = next;
  else run.phase = 'comparing';
};

const LOCAL = 'the library has an article of its own under this id';

const compare = (run: SyncRun, { sync, articles, state, embedder }: SyncParts): void => {
  if (run.full) {
    const known = articles.count('host');
    if (run.total !== undefined && run.received < run.total)
      throw new HostKbError(`the host says that there are ${run.total} articles, and sent ${run.received}`);
    if (run.received === 0 && known > 0) throw new HostKbError(`it is empty, and ${known} articles are known`);
    removeUnlisted(run, { sync, articles, state, known });
    // A listing that may lack some does not tell which articles the host has given up.
    if (run.held === null && run.nameless === 0) sync.removeUnlistedTombstones();
  }
  run.toProcess = sync.stagedCount();
  if (run.toProcess > 0) run.phase = 'chunking';
  else leaveChunking(run, embedder);
};

/** What is gone from the articles does not wait until others have their vectors: an edition without it goes out first. */
const leaveChunking = (run: SyncRun, embedder: ChunkEmbedder | undefined): void => {
  run.embedsNext = embedder !== undefined && run.removed + run.changed > 0;
  run.phase = embedder === undefined || run.embedsNext ? 'publishing' : 'embedding';
};

const removeUnlisted = (
  run: SyncRun,
  { sync, articles, state, known }: Pick<SyncParts, 'sync' | 'articles' | 'state'> & { known: number },
): void => {
  const gone = sync.unlisted();
  if (gone.length === 0) return;
  if (!run.force && (gone.length > known * DELETION_LIMIT || run.nameless > 0)) {
    run.held = {
      count: gone.length,
      of: known,
      limit: DELETION_LIMIT,
      ids: gone.slice(0, 20),
      how_to_force: 'Send POST /v1/sync with {"full": true, "force": true} to remove them after all',
    };
    return;
  }
  for (const id of gone) run.writes += articles.remove(id);
  run.removed = gone.length;
  state.bumpRevision();
};

const takeInBatch = (run: SyncRun, { sync, articles, state, normalise, embedder }: SyncParts): void => {
  const batch = sync.nextStaged(BATCH);
  const known = articles.known(batch.map(({ reply }) => reply.id));
  let isChanged = false;
  for (const staged of batch) {
    const { id } = staged.reply;
    sync.unstage(id);
    run.processed += 1;
    // Written or deleted here since it was listed: what was done here counts.
    if (known.get(id)?.owner === 'local' || sync.isTombstone(id)) continue;
    const skipped = takeIn(run, staged, { articles, normalise });
    if (skipped) addSkipped(run, [skipped]);
    else {
      if (known.has(id)) run.changed += 1;
      else run.added += 1;
      isChanged = true;
    }
  }
  if (isChanged) state.bumpRevision();
  if (sync.stagedCount() === 0) leaveChunking(run, embedder);
};

const takeIn = (
  run: SyncRun,
  { reply, hash }: StagedArticle,
  { articles, normalise }: Pick<SyncParts, 'articles' | 'normalise'>,
): SkippedArticle | undefined => {
  try {
    const { warnings, content, ...entry } = takeInArticle(reply, normalise);
    run.writes += articles.put(entry, { owner: 'host', hash, content });
    addWarnings(
      run,
      warnings.map((reason) => ({ id: reply.id, reason })),
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof ArticleRefused)) throw error;
    return { id: reply.id, reason: error.message };
  }
};

const stepEmbedding = async (run: SyncRun, parts: SyncParts): Promise<void> => {
  const note = await parts.embedder?.step();
  commitStep(run, parts, (stored) => {
    const { embedded, next, warning, article = '(vectors)' }: EmbeddingStep = note?.() ?? { embedded: 0, next: 'done' };
    stored.embedded += embedded;
    stored.writes += embedded;
    const wanted = parts.vectors.wantedCount();
    stored.toEmbed = stored.embedded + wanted;
    if (warning !== undefined) addWarnings(stored, [{ id: article, reason: warning }]);
    if (next !== 'done' && next !== 'given-up') return;
    stored.missing = parts.vectors.missingCount();
    stored.phase = 'publishing';
  });
};
