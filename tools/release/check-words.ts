/**
 * Checks that the project speaks standard terms: no word of `banned-words.json` in code, comments, tests or pages, except in
 * the places that the list allows.
 *
 *   node tools/release/check-words.ts
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandLine } from '../command-line.ts';
import { ROOT } from '../functions.ts';
import BANNED from './banned-words.json' with { type: 'json' };

const HELP = `Checks that no banned word (tools/release/banned-words.json) stands in code, comments, tests or pages.

  node tools/release/check-words.ts

  --help  this text
`;

/** A word that the project does not use. */
export interface BannedWord {
  word: string;
  /** What to say instead. */
  say: string;
  /** Files that may use it: paths from the root, or their beginnings. */
  allowed?: readonly string[];
}

/** The banned words in a file: `path:line: …`. Words within identifiers count (`toldCache`), parts of other words do not. */
export function bannedWordsIn(path: string, text: string, banned: readonly BannedWord[]): string[] {
  const own = banned.filter(({ allowed = [] }) => !allowed.some((place) => path.startsWith(place)));
  const patterns = own.map(({ word, say }) => ({ word, say, pattern: patternOf(word) }));
  return text
    .split('\n')
    .flatMap((line, at) =>
      patterns.flatMap(({ word, say, pattern }) =>
        pattern.test(line) ? [`${path}:${at + 1}: “${word}” is banned: say ${say}`] : [],
      ),
    );
}

/** Comments that begin with “Of” or “Where”, which leave the reader to find out what they describe: `path:line: …`. */
export function openingsIn(path: string, text: string): string[] {
  return [...text.matchAll(OPENING)].map(({ index, 1: opening }) => {
    const line = text.slice(0, index).split('\n').length;
    return `${path}:${line}: a comment begins with “${opening}”: begin with what it describes`;
  });
}

/** The second and further lines of a comment may begin with any word. */
const OPENING = /(?:\/\*\*(?:\n *\*)? |(?<!\/\/.*\n *)\/\/ )(Of|Where)\b/g;

const patternOf = (word: string): RegExp => {
  const capital = `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  return new RegExp(`(?<![A-Za-z])${word}(?![a-z])|${capital}(?![a-z])`);
};

const FILES = [
  '{src,tools,research,test}/**/*.{ts,tsx}',
  'functions/**/*.ts',
  'client/**/*.ts',
  'docs/{,design/,adr/}*.md',
  '*.md',
];

if (import.meta.main) {
  readCommandLine(HELP, { options: {} });
  // Its own test holds what it refuses.
  const files = globSync(FILES, {
    cwd: ROOT,
    exclude: ['functions/*/dist/**', 'client/dist/**', 'test/tools/release/check-words.test.ts'],
  });
  const found = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [...bannedWordsIn(file, text, BANNED), ...openingsIn(file, text)];
  });
  for (const each of found) console.error(each);
  process.exitCode = found.length > 0 ? 1 : 0;
}
