/// <reference path="./libraries.d.ts" />
import { newStemmer } from 'snowball-stemmers';
import {
  ara,
  bul,
  cat,
  ces,
  dan,
  deu,
  ell,
  fas,
  fin,
  fra,
  heb,
  hin,
  hrv,
  hun,
  ind,
  ita,
  jpn,
  kor,
  nld,
  nob,
  pol,
  por,
  ron,
  rus,
  slk,
  slv,
  spa,
  swe,
  tha,
  tur,
  ukr,
  urd,
  vie,
  zho,
} from 'stopword';
import { memo } from '../platform/lru-cache.ts';
import { STOP_WORDS, withoutMarks } from './analyse-text.ts';
import { stem as stemEnglish } from './stem.ts';

/** What reading words needs to know about their language. One that is not listed has neither stems nor stop words. */
export interface Language {
  /** Primary tag of BCP 47. */
  tag: string;
  /** The stem of a word in lower case with its diacritics; without them, as words of an edition are. */
  stem: (word: string) => string;
  /** Words too common to tell what a question is about, without diacritics. */
  stopWords: ReadonlySet<string>;
  /** Its words are joined without a space: the parts of "Rechnungsadresse" are words too. */
  isCompounding: boolean;
}

/** By tag: the algorithm of the Snowball project (snowballstem.org) and the list of stop words. */
const DATA: Readonly<
  Record<string, { algorithm?: string; stopWords: readonly string[]; isCompounding?: true }>
> = {
  ar: { algorithm: 'arabic', stopWords: ara },
  bg: { stopWords: bul },
  ca: { algorithm: 'catalan', stopWords: cat },
  cs: { algorithm: 'czech', stopWords: ces },
  da: { algorithm: 'danish', stopWords: dan, isCompounding: true },
  de: { algorithm: 'german', stopWords: deu, isCompounding: true },
  el: { stopWords: ell },
  es: { algorithm: 'spanish', stopWords: spa },
  fa: { stopWords: fas },
  fi: { algorithm: 'finnish', stopWords: fin, isCompounding: true },
  fr: { algorithm: 'french', stopWords: fra },
  he: { stopWords: heb },
  hi: { stopWords: hin },
  hr: { stopWords: hrv },
  hu: { algorithm: 'hungarian', stopWords: hun, isCompounding: true },
  id: { stopWords: ind },
  it: { algorithm: 'italian', stopWords: ita },
  ja: { stopWords: jpn },
  ko: { stopWords: kor },
  nb: { algorithm: 'norwegian', stopWords: nob, isCompounding: true },
  nl: { algorithm: 'dutch', stopWords: nld, isCompounding: true },
  no: { algorithm: 'norwegian', stopWords: nob, isCompounding: true },
  pl: { stopWords: pol },
  pt: { algorithm: 'portuguese', stopWords: por },
  ro: { algorithm: 'romanian', stopWords: ron },
  ru: { algorithm: 'russian', stopWords: rus },
  sk: { stopWords: slk },
  sl: { algorithm: 'slovene', stopWords: slv },
  sv: { algorithm: 'swedish', stopWords: swe, isCompounding: true },
  th: { stopWords: tha },
  tr: { algorithm: 'turkish', stopWords: tur },
  uk: { stopWords: ukr },
  ur: { stopWords: urd },
  vi: { stopWords: vie },
  zh: { stopWords: zho },
};

/** Stems in memory by language; words recur. */
const MAX_STEMS = 50_000;

const languages = new Map<string, Language>();

/** The language with this tag; of its region and script only the primary tag counts. */
export function languageNamed(tag: string): Language {
  const primary = tag.toLowerCase().split('-', 1)[0] ?? '';
  const cached = languages.get(primary);
  if (cached !== undefined) return cached;
  const language = makeLanguage(primary);
  // Tags come from detection and from callers, who may send any.
  if (primary === 'en' || Object.hasOwn(DATA, primary)) languages.set(primary, language);
  return language;
}

const makeLanguage = (tag: string): Language => {
  if (tag === 'en')
    return { tag, stem: stemAsEnglish, stopWords: STOP_WORDS, isCompounding: false };
  const {
    algorithm,
    stopWords = [],
    isCompounding = false,
  } = (Object.hasOwn(DATA, tag) ? DATA[tag] : undefined) ?? {};
  const words = stopWords.flatMap((word) =>
    withoutMarks(word.normalize('NFKC').toLowerCase()).split(/[^\p{L}\p{N}]+/u),
  );
  const stemOwn = algorithm === undefined ? undefined : newStemmer(algorithm).stem;
  const isLatin = /\p{sc=Latin}/u.test(stopWords[0] ?? '');
  const isOwn = (word: string): boolean => stemOwn !== undefined && (isLatin || !ASCII.test(word));
  return {
    tag,
    stem: memo(
      (word) => {
        // Names and terms in a text of another script are mostly English.
        if (!isOwn(word)) return stemAsEnglish(word);
        return WORD.test(word) ? withoutMarks(stemOwn?.(word) ?? word) : withoutMarks(word);
      },
      { max: MAX_STEMS },
    ),
    stopWords: new Set(words.filter((word) => word !== '')),
    isCompounding,
  };
};

const stemAsEnglish = (word: string): string =>
  stemEnglish(ASCII.test(word) ? word : withoutMarks(word));

/** Digits and signs are no part of an inflected word. */
const WORD = /^\p{L}[\p{L}\p{M}]*$/u;
const ASCII = /^[a-z]+$/;
