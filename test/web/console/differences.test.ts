import { expect, it } from 'vitest';
import { diffLines, diffWords } from '../../../src/web/console/parts/differences.ts';

const shown = (before: string, after: string): string =>
  diffLines(before, after)
    .map(
      ({ kind, text }) => `${{ same: ' ', removed: '-', added: '+', skipped: '~' }[kind]}${text}`,
    )
    .join('|');

it('keeps common lines, two of them around each change', () => {
  expect(shown('a\nb\nc\nd\ne\nf', 'a\nb\nc\nD\ne\nf')).toBe('~…| b| c|-d|+D| e| f');
  expect(shown('a\nx\nb\ny\nc', 'a\nb\nz\nc')).toBe(' a|-x| b|-y|+z| c');
  expect([shown('', 'a\nb'), shown('a', ''), shown('a', 'a')]).toEqual(['+a|+b', '-a', '~…']);
});

it('shows whole texts as changed when a comparison would take too long', () => {
  const lines = (of: string) => Array.from({ length: 3000 }, (_, at) => `${of} ${at}`).join('\n');
  const kinds = diffLines(lines('old'), lines('new')).map(({ kind }) => kind);
  expect([kinds.length, kinds[0], kinds.at(-1)]).toEqual([6000, 'removed', 'added']);
});

it('compares texts word by word, and joins what lies together', () => {
  const words = diffWords(
    'Press the button for 5 seconds.',
    'Press the red button for 10 seconds.\n\nRegards',
  );
  expect(words.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    ...[
      'same Press the ',
      'added red ',
      'same button for ',
      'removed 5',
      'added 10',
      'same  seconds.',
    ],
    'added \n\nRegards',
  ]);
  expect(diffWords('', '')).toEqual([]);
  // Single words in common do not take two other sentences apart.
  expect(
    diffWords('Unplug the device for ten minutes.', 'Write to the shop about ten vouchers.'),
  ).toEqual([
    { kind: 'removed', text: 'Unplug the device for ten minutes' },
    { kind: 'added', text: 'Write to the shop about ten vouchers' },
    { kind: 'same', text: '.' },
  ]);
});
