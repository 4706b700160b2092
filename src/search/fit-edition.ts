import { splitBlocks } from '../markup/split-blocks.ts';
import { seededRandom } from '../runtime/seeded-random.ts';
import { analyseText, wordsOf } from '../text/analyse-text.ts';
import { splitSentences } from '../text/split-sentences.ts';
import { stem } from '../text/stem.ts';
import { backgroundShares } from './analyse-query.ts';
import {
  type AnsweringModel,
  DEFAULT_MODEL,
  decodeKey,
  domainFeatures,
  encodeKey,
  encodeModel,
  KEYS_SECTION,
  MODEL_SECTION,
} from './answering-model.ts';
import type { PageSource } from './chunk-texts.ts';
import { attachSection } from './edition-format.ts';
import { applyLogistic, fitLogistic, type LogisticModel } from './fit-logistic.ts';
import offTopicQuestions from './off-topic-questions.json' with { type: 'json' };
import { type Edition, openEdition } from './open-edition.ts';
import { attachRepeatedBlocks } from './repeated-blocks.ts';
import { searchEdition } from './search-edition.ts';
import { entryText } from './text-table.ts';

/**
 * Fits the parameters of answering to a finished edition, without labels, and attaches them. Deterministic. Takes at most
 * about a second, whatever the size of the edition.
 *
 * @param edition As returned by `buildEdition`; must not be used afterwards.
 * @param pages The pages of an edition whose texts are beside it, all of them in reach.
 * @returns The edition with the sections `answering`, `answering.keys` and `answering.repeated`.
 */
export const fitEdition = (edition: Uint8Array, pages?: PageSource): Uint8Array => {
  const model = fitAnsweringModel(openEdition(edition, pages));
  const fitted = attachSection(attachSection(edition, MODEL_SECTION, encodeModel(model)), KEYS_SECTION, model.keys);
  return attachRepeatedBlocks(fitted, pages);
};

/** Data that `fitEdition` attaches. */
export const fitAnsweringModel = (edition: Edition): AnsweringModel => {
  const keys = keysOfTerms(edition);
  const topics = topicsOf(edition, keys);
  const asked = madeUpQuestions(edition).map(({ text }) => searchEdition(edition, text));
  if (asked.length < MIN_QUESTIONS) return { ...DEFAULT_MODEL, topics, keys };
  const foreign = OFF_TOPIC_QUESTIONS.map((text) => domainFeatures(searchEdition(edition, text), keys));
  const own = asked.map((outcome) => domainFeatures(outcome, keys));
  const mixed = mixedQuestions(edition).map((text) => domainFeatures(searchEdition(edition, text), keys));
  const domain = fitLogistic([...[...own, ...mixed].map(labelled(true)), ...foreign.map(labelled(false))], {
    signs: new Array(8).fill(1),
  });
  const domainThreshold = thresholdOf({ domain, own, foreign });
  return { ...DEFAULT_MODEL, domain, domainThreshold, topics, keys };
};

const labelled = (label: boolean) => (features: number[]) => ({ features, label });

/**
 * Questions and complaints of customers of unrelated services, by subject: negative examples by which a knowledge base learns what is out
 * of its domain. The range of subjects matters more than the sentences. Since a knowledge base may cover one or two of the subjects,
 * `fitEdition` limits how many of its own questions may be refused. No evaluation set was used for them.
 */
export const OFF_TOPIC_QUESTIONS: readonly string[] = Object.values(offTopicQuestions).flat();

/**
 * Number of synthetic in-domain questions with one out-of-domain word, as customers use words that the knowledge base
 * lacks. With two to three times as many, one out-of-domain question in twenty is accepted.
 */
const MIXED_QUESTIONS = 100;

/** Half of a synthetic question, at least two words, and one out-of-domain word. */
const mixedQuestions = (edition: Edition): string[] => {
  const foreign = wordsOf(OFF_TOPIC_QUESTIONS.join('\n'));
  const random = seededRandom(edition.chunkCount + 1);
  return madeUpQuestions(edition, MIXED_QUESTIONS).map(({ text }) => {
    const words = text.split(' ');
    const other = foreign[Math.floor(random() * foreign.length)] ?? '';
    return [...words.slice(0, Math.max(2, Math.ceil(words.length / 2))), other].join(' ');
  });
};

/** Number of synthetic questions; more give the same models. */
const QUESTIONS = 600;
/** With fewer questions a fit reflects chance rather than the knowledge base. */
const MIN_QUESTIONS = 40;

/** Share of out-of-domain questions that must be refused ... */
const FOREIGN_REFUSED = 0.98;
/** ... unless that refuses more than this share of the synthetic in-domain questions. */
const OWN_REFUSED = 0.05;

/**
 * The second bound matters for a knowledge base that covers a subject of the out-of-domain questions, such as a bank's: a
 * tenth of those questions are then in its domain.
 */
const thresholdOf = ({
  domain,
  own,
  foreign,
}: {
  domain: LogisticModel;
  own: number[][];
  foreign: number[][];
}): number => {
  const at = (examples: number[][], share: number) => {
    const sorted = examples.map((features) => applyLogistic(domain, features)).toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  };
  return Math.min(at(foreign, FOREIGN_REFUSED), at(own, OWN_REFUSED));
};

/**
 * Runs of 4 to 7 content words of random sentences, a quarter of the words replaced by words of another chunk. Every second
 * run is shortened, to 2 words or more, so that short questions are covered.
 */
export const madeUpQuestions = (edition: Edition, count = QUESTIONS): { text: string; chunk: number }[] => {
  const random = seededRandom(edition.chunkCount);
  const pick = (length: number) => Math.min(length - 1, Math.floor(random() * length));
  const questions: { text: string; chunk: number }[] = [];
  for (let tries = 0; tries < 3 * count && questions.length < count && edition.chunkCount > 1; tries += 1) {
    const chunk = pick(edition.chunkCount);
    const words = randomSentence(edition.chunk(chunk).text, pick);
    const elsewhere = wordsOf(edition.chunk(pick(edition.chunkCount)).text.slice(0, 2000));
    if (words.length < 6 || elsewhere.length === 0) continue;
    const whole = Math.min(words.length, 4 + pick(4));
    const length = questions.length % 2 === 0 ? whole : 2 + pick(whole - 1);
    const from = pick(words.length - length + 1);
    const run = words.slice(from, from + length);
    const text = run.map((word) => (random() < 0.25 ? (elsewhere[pick(elsewhere.length)] ?? word) : word)).join(' ');
    questions.push({ text, chunk });
  }
  return questions;
};

const randomSentence = (text: string, pick: (length: number) => number): string[] => {
  const sentences = splitBlocks(text.slice(0, 4000))
    .filter(({ kind }) => kind === 'prose' || kind === 'list')
    .flatMap((block) => splitSentences(text, block));
  const sentence = sentences[pick(sentences.length)];
  return sentence ? wordsOf(text.slice(sentence.start, sentence.end)) : [];
};

/**
 * By term of an edition, how much more frequent it is there than in general English, as `encodeKey` bytes. A term that the
 * background list lacks counts as half as common as the rarest listed one.
 */
const keysOfTerms = ({ index, wordTotal }: Edition): Uint8Array => {
  const shares = backgroundShares();
  const rarest = Math.min(...shares.values());
  const keys = new Uint8Array(index.terms.count);
  for (let term = 0; term < keys.length; term++) {
    const here = ((index.termCounts[term] ?? 0) + 0.05) / Math.max(1, wordTotal);
    const atLarge = shares.get(entryText(index.terms, term)) ?? rarest / 2;
    keys[term] = encodeKey(Math.log(here / atLarge));
  }
  return keys;
};

const MAX_TOPICS = 8;
/** Titles read to find the usual spelling of a word. */
const MAX_TITLES = 2000;

/**
 * Topics of a knowledge base: the devices that it covers, then its most characteristic words (key times the square root of
 * the number of chunks), spelt as in its titles.
 *
 * @param keys By term id, as returned by `keysOfTerms`.
 * @returns At most eight, most characteristic first.
 */
const topicsOf = (edition: Edition, keys: Uint8Array): string[] => {
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
  // Without titles the passages themselves are used.
  if (topics.length < MAX_TOPICS / 2) for (const { term } of terms) add(commonestWord(edition, term));
  return topics;
};

/** Parts of web addresses. */
const ADDRESS_PARTS = new Set(['http', 'https', 'www', 'com', 'org', 'net', 'html', 'href', 'htm', 'md', 'doc']);

const tellingTerms = ({ index, articleCount }: Edition, keys: Uint8Array): number[] => {
  const weights: [number, number][] = [];
  // What a reader may read of an edition has terms without chunks: those of other articles.
  const leastChunks = articleCount < 4 ? 1 : 2;
  for (let term = 0; term < keys.length; term++) {
    const chunks = index.termChunks[term] ?? 0;
    const key = decodeKey(keys[term]);
    const first = index.terms.bytes[index.terms.starts[term] ?? 0] ?? 0;
    const length = (index.terms.starts[term + 1] ?? 0) - (index.terms.starts[term] ?? 0);
    const isWord = length >= 3 && (first < 48 || first > 57);
    if (isWord && !ADDRESS_PARTS.has(entryText(index.terms, term)) && key > 1.5 && chunks >= leastChunks)
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

/** By stem, its most frequent spelling in titles. */
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
