import { analyseText } from '../text/analyse-text.ts';
import { stem } from '../text/stem.ts';
import { decodeKey } from './answering-model.ts';
import type { Edition } from './open-edition.ts';
import { entryText } from './text-table.ts';

const MAX_TOPICS = 8;
/** Titles read for the way a word is written. */
const MAX_TITLES = 2000;

/**
 * What a knowledge base is about, in its own words: the devices it covers, then the words that tell it most from English
 * at large (key times the root of the number of chunks that hold them), written as its titles write them.
 *
 * @param keys By term id, as `keysOfTerms` gives them.
 * @returns At most eight, the most telling first.
 */
export const topicsOf = (edition: Edition, keys: Uint8Array): string[] => {
  const forms = writtenForms(edition);
  const topics: string[] = [];
  const add = (topic: string) => {
    const isNew = topic !== '' && !topics.some((each) => each.toLowerCase().includes(topic.toLowerCase()));
    if (isNew && topics.length < MAX_TOPICS) topics.push(topic);
  };
  const devices = commonDevices(edition);
  for (const device of devices.slice(0, 3)) add(device);
  const terms = tellingTerms(edition, keys).map((term) => ({
    term,
    form: forms.get(entryText(edition.index.terms, term)),
  }));
  for (const { form = '' } of terms) add(form);
  // Passages without titles speak for themselves.
  if (topics.length < MAX_TOPICS / 2) for (const { term } of terms) add(commonestWord(edition, term));
  return topics;
};

/** What addresses are made of. */
const ADDRESS_PARTS = new Set(['http', 'https', 'www', 'com', 'org', 'net', 'html', 'href', 'htm', 'md', 'doc']);

const tellingTerms = ({ index, articleCount }: Edition, keys: Uint8Array): number[] => {
  const weights: [number, number][] = [];
  for (let term = 0; term < keys.length; term++) {
    const chunks = index.termChunks[term] ?? 0;
    const key = decodeKey(keys[term]);
    const first = index.terms.bytes[index.terms.starts[term] ?? 0] ?? 0;
    const length = (index.terms.starts[term + 1] ?? 0) - (index.terms.starts[term] ?? 0);
    const isWord = length >= 3 && (first < 48 || first > 57);
    if (isWord && !ADDRESS_PARTS.has(entryText(index.terms, term)) && key > 1.5 && (chunks > 1 || articleCount < 4))
      weights.push([term, Math.sqrt(chunks) * key]);
  }
  return weights
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, 4 * MAX_TOPICS)
    .map(([term]) => term);
};

const commonDevices = (edition: Edition): string[] => {
  const counts = new Map<string, number>();
  for (let at = 0; at < Math.min(MAX_TITLES, edition.articleCount); at++) {
    for (const device of edition.article(at).devices) counts.set(device, (counts.get(device) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([device]) => device.slice(0, 60));
};

/** For each stem the way titles write it most often. */
const writtenForms = (edition: Edition): Map<string, string> => {
  const counts = new Map<string, Map<string, number>>();
  for (let at = 0; at < Math.min(MAX_TITLES, edition.articleCount); at++) {
    for (const word of edition.article(at).title.match(/[\p{L}\p{N}]+/gu) ?? []) {
      analyseText(word, (plain, kind) => {
        if (kind === 'part') return;
        const forms = counts.get(stem(plain)) ?? new Map<string, number>();
        counts.set(stem(plain), forms.set(word, (forms.get(word) ?? 0) + 1));
      });
    }
  }
  const commonest = (forms: Map<string, number>) =>
    [...forms].reduce((top, each) => (each[1] > top[1] ? each : top))[0];
  return new Map([...counts].map(([stemmed, forms]) => [stemmed, commonest(forms)]));
};

const commonestWord = ({ index }: Edition, term: number): string => {
  let best = -1;
  for (let place = 0; place < index.words.count; place++) {
    const id = index.wordIds[place] ?? -1;
    if (index.wordTerms[id] !== term) continue;
    if (best < 0 || (index.wordCounts[place] ?? 0) > (index.wordCounts[best] ?? 0)) best = place;
  }
  return best < 0 ? '' : entryText(index.words, best);
};
