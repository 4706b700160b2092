import type { AnswerInput } from '../contract/answers.ts';

/**
 * An answer without personal data and secrets in its texts. A quote with offsets stays as it is, since it is the text of an article; so do
 * ids, signatures and names of members.
 */
export const maskAnswer = (answer: AnswerInput, mask: (text: string) => string): AnswerInput => {
  const {
    question,
    understood_as: understood,
    answer: text,
    statements,
    sources,
    closest,
    error,
    metadata,
    ...rest
  } = answer;
  const inside = (value: unknown): unknown => maskInside(value, mask);
  const words = withoutWords(wordsMasked(question, mask));
  return {
    ...rest,
    question: cut(mask(question), 4000),
    ...(understood === undefined ? {} : { understood_as: cut(mask(understood), 8000) }),
    answer: text === null ? null : cut(mask(text), 32_000),
    // Masking replaces texts by texts; all else keeps its shape.
    statements: inside(statements) as typeof statements,
    sources: inside(sources) as typeof sources,
    closest: inside(closest) as typeof closest,
    ...(error === undefined ? {} : { error: inside(error) as typeof error }),
    metadata: maskInside(metadata, (part) => words(mask(part))) as typeof metadata,
  };
};

/** Words of a text that its masked form lacks: what librarians say about the words of a question would repeat them. */
const wordsMasked = (text: string, mask: (text: string) => string): ReadonlySet<string> => {
  const left = new Set(wordsOf(mask(text)));
  return new Set(wordsOf(text).filter((word) => !left.has(word)));
};

const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;

/** Replaces words and the stems that a search made of them. */
const withoutWords =
  (masked: ReadonlySet<string>) =>
  (text: string): string =>
    masked.size === 0 ? text : text.replace(WORD, (word) => (isOf(word.toLowerCase(), masked) ? '[masked]' : word));

const isOf = (word: string, masked: ReadonlySet<string>): boolean =>
  masked.has(word) || (word.length >= SHORTEST_STEM && [...masked].some((each) => each.startsWith(word)));

const SHORTEST_STEM = 4;

const maskInside = (value: unknown, mask: (text: string) => string): unknown => {
  if (typeof value === 'string') return withinLength(mask(value), value.length);
  if (Array.isArray(value)) return value.map((each) => maskInside(each, mask));
  if (typeof value !== 'object' || value === null) return value;
  const isOfArticle = 'quote' in value && 'start' in value && 'end' in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      (isOfArticle && name === 'quote') || AS_THEY_ARE.has(name) ? member : maskInside(member, mask),
    ]),
  );
};

/** Addresses and ids of articles, and the codes of the contract. */
const AS_THEY_ARE = new Set(['url', 'file', 'id', 'edition', 'code', 'librarian']);

/** A long text may be at the upper bound of its member, and a placeholder longer than what it replaces. */
const withinLength = (masked: string, length: number): string => (length < LONG ? masked : cut(masked, length));
const LONG = 400;

/** Never within a surrogate pair. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
