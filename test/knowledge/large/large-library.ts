import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import { largeManifestOf } from '../../../src/knowledge/large/large-manifest.ts';
import {
  isVisible,
  type Passage,
  readPassage,
} from '../../../src/knowledge/large/passage-record.ts';
import type { LargeMode } from '../../../src/knowledge/large/publishing-ports.ts';
import type { Library } from '../../../src/knowledge/library/library.ts';
import type { Sql } from '../../../src/platform/storage/sql.ts';
import {
  editionOf,
  type FakeHost,
  libraryForTest,
  type mapStorage,
} from '../library/library-for-test.ts';
import { DIMENSIONS, type LateIndexes } from './late-index.ts';

/** Word-count vectors, enough to find a record by its own. */
const vectorOf = (text: string): number[] => {
  const vector = new Array<number>(DIMENSIONS).fill(0.01);
  for (const letter of text) {
    const place = (letter.codePointAt(0) ?? 0) % DIMENSIONS;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
};

export function largeMode(indexes: LateIndexes, more: Partial<LargeMode> = {}): LargeMode {
  return {
    namespaceOf: (generation) => `passages_${generation}`,
    indexOf: (namespace) => indexes.open(namespace),
    space: { model: 'letters', dimensions: DIMENSIONS },
    madeWith: 'letters',
    usualOf: () => 'en',
    vectorsOf: async (entries) =>
      entries.map(({ chunks }) =>
        chunks.map(({ text }) => ({
          dense: vectorOf(text),
          sparse: { indices: [1], values: [text.length] },
        })),
      ),
    counterFor: () => ({
      add: () => {},
      counts: () => ({
        chunks: 1,
        wordTotal: 1,
        meanLengths: { title: 1, label: 1, heading: 1, body: 1 },
      }),
      build: (identity) => buildEdition([], identity),
    }),
    fromPassages: 0,
    ...more,
  };
}

/** A library in large mode over an index of the test. */
export function largeLibrary(
  host: FakeHost,
  {
    indexes,
    clock,
    mode = largeMode(indexes),
    sql,
    editionStorage,
    history,
  }: {
    indexes: LateIndexes;
    clock: { now: number };
    mode?: LargeMode;
    sql?: Sql;
    editionStorage?: ReturnType<typeof mapStorage>;
    history?: number;
  },
) {
  return libraryForTest(host, {
    clock,
    large: mode,
    newKey: () => 'ab'.repeat(32),
    ...(history && { history }),
    ...(sql && { sql }),
    ...(editionStorage && { editionStorage }),
  });
}

type Manifest = Awaited<ReturnType<typeof manifestNow>>;

/** What a reader with the manifest of an edition shows of all that the index may return. */
export async function passagesShown(manifest: Manifest, indexes: LateIndexes): Promise<Passage[]> {
  const { workspace, key, namespace, number, tombstones, audienceLists } = manifest;
  const readable = audienceLists.map((list) => list.length === 0);
  const rule = { edition: number, tombstones: new Map(Object.entries(tombstones)), readable };
  const shown: Passage[] = [];
  for (const hit of indexes.visible(namespace)) {
    const passage = await readPassage(hit, { workspace, key });
    if (passage === undefined) throw new Error('A record has an id that is not its own');
    if (isVisible(passage, rule)) shown.push(passage);
  }
  return shown;
}

/** The same as lines: the article of each passage, and its text. */
export async function shownOf(manifest: Manifest, indexes: LateIndexes): Promise<string[]> {
  const shown = await passagesShown(manifest, indexes);
  return shown.map(({ article, chunk }) => `${article.id}: ${chunk.text}`).sort();
}

/** The manifest that the library publishes now. */
export async function manifestNow(library: Library) {
  const edition = await editionOf(library);
  const manifest = largeManifestOf(edition);
  if (manifest === undefined) throw new Error('The edition is none of large mode');
  return { ...manifest, id: edition.id, workspace: edition.workspace };
}
