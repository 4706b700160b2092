import { utf8 } from '../../runtime/digest.ts';
import { buildEdition } from '../../search/build-edition.ts';
import { EDITION_VERSION } from '../../search/edition-format.ts';
import {
  EDITION_PART_BYTES,
  type EditionManifest,
  type EditionStorage,
  sha256Hex,
} from '../../storage/edition-storage.ts';
import type { Sql } from '../../storage/sql.ts';
import type { ArticleStore } from './article-store.ts';
import type { EditionStore } from './edition-store.ts';
import type { EditionVectorSource } from './edition-with-vectors.ts';
import type { LibraryState } from './library-state.ts';

export interface PublishingParts {
  sql: Sql;
  state: LibraryState;
  articles: ArticleStore;
  editions: EditionStore;
  shelf: EditionStorage;
  workspace: string;
  now: () => number;
  /** Adds to a finished edition what can only be known once it can be searched. */
  complete?: ((edition: Uint8Array) => Uint8Array) | undefined;
  /** Where there is an embedding model. */
  vectors?: EditionVectorSource | undefined;
}

/**
 * Publishes the articles as they are now, unless the current edition already says the same: builds the edition, stores it,
 * lays its parts out near the readers, and makes it the current one in one transaction. Killed anywhere, it leaves the
 * old edition current and can be called again.
 *
 * @returns The rows written; 0 when there was nothing to publish.
 */
export const publishEdition = async (parts: PublishingParts): Promise<number> => {
  const { sql, editions, shelf, now } = parts;
  const { revision, digest } = await digestOf(parts);
  const current = editions.current();
  if (current?.digest === digest && current.manifest.formatVersion === EDITION_VERSION) {
    if (current.revision !== revision) editions.setRevision(current.manifest.edition, revision);
    return 0;
  }
  const number = editions.nextNumber();
  const { manifest, bytes } = await build(number, digest, parts);
  const writes = sql.transaction(() => editions.store({ number, manifest, revision, digest }, bytes, now()));
  await Promise.all(manifest.parts.map(({ key }, part) => lay(shelf, key, bytes[part])));
  sql.transaction(() => editions.makeCurrent(manifest.edition, now()));
  return writes;
};

/** A hash over all articles and vectors, and the revision that it belongs to: hashing waits, and meanwhile they may change. */
const digestOf = async ({
  articles,
  state,
  vectors,
}: PublishingParts): Promise<{ revision: number; digest: string }> => {
  for (;;) {
    const revision = state.revision();
    await vectors?.prepare();
    const stored = vectors === undefined ? '' : `\n${await vectors.digest()}`;
    const digest = await sha256Hex(utf8(articles.inventory() + stored));
    if (state.revision() === revision) return { revision, digest };
  }
};

const build = async (
  number: number,
  digest: string,
  { articles, workspace, now, complete, vectors }: PublishingParts,
) => {
  const edition = `e${String(number).padStart(6, '0')}-${digest.slice(0, 8)}`;
  const createdAt = new Date(now()).toISOString();
  const counts = { articles: articles.count(), chunks: articles.chunkCount() };
  const spareBytes = vectors?.spareBytes ?? (() => 0);
  const built = buildEdition(articles.entries(), { id: edition, workspace, createdAt }, { spareBytes });
  const completed = complete ? complete(built) : built;
  const whole = vectors ? vectors.attach(completed) : completed;
  const bytes: Uint8Array<ArrayBuffer>[] = [];
  for (let from = 0; from < whole.length; from += EDITION_PART_BYTES)
    bytes.push(Uint8Array.from(whole.subarray(from, from + EDITION_PART_BYTES)));
  const parts = await Promise.all(
    bytes.map(async (part, index) => ({
      key: `editions/${encodeURIComponent(workspace)}/${edition}/${index}`,
      bytes: part.length,
      sha256: await sha256Hex(part),
    })),
  );
  const manifest: EditionManifest = {
    ...{ edition, workspace, formatVersion: EDITION_VERSION, createdAt, ...counts },
    ...{ bytes: whole.length, parts },
  };
  return { manifest, bytes };
};

/** A shelf that cannot take a part costs readers a longer way, to the library itself. */
const lay = (shelf: EditionStorage, key: string, bytes: Uint8Array<ArrayBuffer> | undefined): Promise<void> =>
  bytes === undefined ? Promise.resolve() : shelf.put(key, bytes).catch(() => {});
