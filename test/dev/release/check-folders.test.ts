import { describe, expect, it } from 'vitest';
import { foldersInCycles } from '../../../src/dev/release/check-folders.ts';

describe('foldersInCycles()', () => {
  it.each([
    [
      'side by side',
      [
        ['src/a/one.ts', 'src/b/two.ts'],
        ['src/b/deep/three.ts', 'src/a/deep/four.ts'],
      ],
      ['src/a <-> src/b'],
    ],
    [
      'a folder and one below it',
      [
        ['src/a/one.ts', 'src/a/b/two.ts'],
        ['src/a/b/c/three.ts', 'src/a/four.ts'],
      ],
      ['src/a <-> src/a/b'],
    ],
    [
      'one way only',
      [
        ['src/a/one.ts', 'src/a/b/two.ts'],
        ['src/a/one.ts', 'src/c/two.ts'],
        ['src/c/two.ts', 'src/c/three.ts'],
      ],
      [],
    ],
  ] as const)('reports folders that import each other: %s', (_, imports, expected) => {
    expect(foldersInCycles(imports)).toEqual(expected);
  });
});
