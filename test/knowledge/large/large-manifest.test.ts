import { describe, expect, it } from 'vitest';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import { openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import {
  attachLargeManifest,
  type LargeManifest,
  largeManifestOf,
  MAX_TOMBSTONES,
} from '../../../src/knowledge/large/large-manifest.ts';
import { articleHash } from '../../../src/knowledge/large/passage-record.ts';
import { IDENTITY } from '../search/edition-fixture.ts';

const MANIFEST: LargeManifest = {
  number: 3,
  namespace: 'kb_acme-1',
  key: '0f'.repeat(32),
  space: { model: 'static-words-2', dimensions: 96 },
  articles: 10,
  chunks: 40,
  wordTotal: 4000,
  meanLengths: { title: 4, label: 1, heading: 2, body: 90 },
  deadShare: 0.1,
  tombstones: { [articleHash('a/b.md')]: 3 },
  audienceLists: [[], ['staff']],
};
const opened = (manifest: LargeManifest) =>
  openEdition(attachLargeManifest(buildEdition([], IDENTITY), manifest));

describe('the manifest of large mode', () => {
  it('is read as it was attached, and absent from other editions', () => {
    expect(largeManifestOf(opened(MANIFEST))).toEqual(MANIFEST);
    expect(largeManifestOf(openEdition(buildEdition([], IDENTITY)))).toBeUndefined();
  });
  it.each([
    { number: 0 },
    { key: 'short' },
    { namespace: 'a/b' },
    { tombstones: { 'a/b.md': 3 } },
    {
      tombstones: Object.fromEntries(
        Array.from({ length: MAX_TOMBSTONES + 1 }, (_, at) => [articleHash(`${at}`), 1]),
      ),
    },
  ])('is refused when it is out of bounds: %#', (more) => {
    expect(() => largeManifestOf(opened({ ...MANIFEST, ...more }))).toThrow('another form');
  });
});
