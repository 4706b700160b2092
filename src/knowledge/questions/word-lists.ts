import words from './word-lists.json' with { type: 'json' };

/**
 * Words that are never part of a noun phrase: articles, pronouns, prepositions, question words, auxiliaries, and the common verbs and adjectives of
 * questions to a shop.
 */
export const NO_NOUNS: ReadonlySet<string> = new Set(words.noNouns);

/**
 * The subset whose presence changes the meaning of a question: negations, comparatives, superlatives, quantities, times, and prepositions that
 * exclude or compare. `t` is the rest of `don't`.
 */
export const DECISIVE_WORDS: ReadonlySet<string> = new Set(words.decisive);

/** Nouns for an aspect of a thing, not a thing: `stock`, `price`, `warranty`. */
export const ASPECTS: ReadonlySet<string> = new Set(words.aspects);

/** A quarter, half, year or day: `Q1`, `FY25`, `2026-Q1`, `2026`. A time, not a thing. */
export const isPeriod = (word: string): boolean =>
  PERIOD.test(word) || (/^\p{Lu}/u.test(word) && CALENDAR.has(word.toLowerCase()));

const PERIOD = /^(?:(?:[qh][1-4]|fy)(?:[-/.]?\d{2,4})?|(?:19|20)\d\d(?:[-/.](?:[qh][1-4]|\d{1,2})){0,2})$/i;

/** People and companies: a following `they` refers to them, not to the product before. */
export const PARTIES =
  /\b(?:customers?|people|users?|owners?|buyers?|reviewers?|testers?|competitors?|rivals?|shops?|stores?|retailers?)\b/i;

const CALENDAR: ReadonlySet<string> = new Set(words.calendar);
