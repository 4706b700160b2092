import { expect, it } from 'vitest';
import { packedProblems, versionProblems } from '../../../tools/packages/release-checks.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';

const folder = temporaryFolder();

const CHANGELOG = `# Changelog

## [Unreleased]

## [0.2.0] - 2026-11-30

### Added

- A thing.
`;
const same = (version: string) => ({ 'client/package.json': JSON.stringify({ version }) });

it('releases a version that the changelog describes', () => {
  const texts = { version: '0.2.0', changelog: CHANGELOG, manifests: same('0.2.0') };
  expect(versionProblems(texts)).toEqual([]);
});

it.each([
  { what: 'no section', from: /## \[0\.2\.0\].*/, to: '', problem: 'no section ## [0.2.0]' },
  { what: 'no date', from: ' - 2026-11-30', to: '', problem: '0.2.0 in CHANGELOG.md has no date' },
  { what: 'no entry', from: '- A thing.', to: '', problem: '0.2.0 in CHANGELOG.md is empty' },
])('refuses a version whose section has $what', ({ from, to, problem }) => {
  const changelog = CHANGELOG.replace(from, to);
  const texts = { version: '0.2.0', changelog, manifests: same('0.2.0') };
  expect(versionProblems(texts)).toEqual([expect.stringContaining(problem)]);
});

it('refuses a version that another manifest does not have', () => {
  const texts = { version: '0.2.0', changelog: CHANGELOG, manifests: same('0.1.0') };
  expect(versionProblems(texts)).toEqual(['client/package.json has the version 0.1.0']);
});

const expected = { version: '0.2.0', maxPackedBytes: 1000, built: folder, root: '/home/ada/clone' };
const packed = (...paths: string[]) => ({
  version: '0.2.0',
  size: 900,
  unpackedSize: 2000,
  files: ['LICENSE', 'README.md', ...paths].map((path) => ({ path })),
});

it('takes a package with its licence, its page and built files', () => {
  writeFiles(folder, { LICENSE: 'MIT', 'README.md': '# A', 'index.js': '1', 'index.d.ts': '' });
  expect(packedProblems(packed('index.js', 'index.d.ts'), expected)).toEqual([]);
});

it('refuses sources, paths of the checkout, missing files, another version and a large package', () => {
  writeFiles(folder, { 'index.ts': '', 'leak.js': 'const root = "/home/ada/clone/src";' });
  const wrong = { ...packed('index.ts', 'leak.js'), version: '0.1.0', size: 1001 };
  const files = wrong.files.filter(({ path }) => path !== 'LICENSE');
  expect(packedProblems({ ...wrong, files }, expected)).toEqual([
    'it has the version 0.1.0',
    'it has 1001 bytes packed',
    'LICENSE is missing at its root',
    'index.ts is a source',
    'leak.js holds the path of this checkout',
  ]);
});

it('refuses a package that has its licence and its page in another folder alone', () => {
  writeFiles(folder, { 'a/LICENSE': 'MIT', 'a/README.md': '# A' });
  const files = [{ path: 'a/LICENSE' }, { path: 'a/README.md' }];
  expect(packedProblems({ ...packed(), files }, expected)).toEqual([
    'LICENSE is missing at its root',
    'README.md is missing at its root',
  ]);
});
