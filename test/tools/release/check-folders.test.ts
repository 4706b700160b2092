import { expect, it } from 'vitest';
import { foldersInCycles } from '../../../tools/release/check-folders.ts';

it.each([
  ['side by side', 'a/one.ts > b/two.ts, b/deep/three.ts > a/deep/four.ts', ['src/a <-> src/b']],
  [
    'a folder and one below it',
    'a/one.ts > a/b/two.ts, a/b/c/three.ts > a/four.ts',
    ['src/a <-> src/a/b'],
  ],
  ['one way only', 'a/one.ts > a/b/two.ts, a/one.ts > c/two.ts, c/two.ts > c/three.ts', []],
])('foldersInCycles() reports folders that import each other: %s', (_, imports, expected) => {
  const pairs = imports
    .split(', ')
    .map((each) => each.split(' > ').map((path) => `src/${path}`) as [string, string]);
  expect(foldersInCycles(pairs)).toEqual(expected);
});
