import { oncePer } from '../../runtime/once-per.ts';
import type { Edition } from '../../search/open-edition.ts';
import { findEntry } from '../../search/text-table.ts';
import { wordsOf } from '../../text/analyse-text.ts';
import { detectLanguage } from '../../text/detect-language.ts';
import { stem } from '../../text/stem.ts';

/** Most of the words of a text in the language of the articles stand in them; of another one names and numbers do. */
const OWN_SHARE = 0.65;

/** Whether a text is in another language than the articles: it looks like one, and they have few of its words. */
export const isForeignTo = (edition: Edition, text: string | undefined): boolean => {
  const own = languageOfArticles(edition);
  const told = text === undefined ? undefined : detectLanguage(text);
  if (text === undefined || own === undefined || told === undefined || own === told) return false;
  const words = [...new Set(wordsOf(text.slice(0, MAX_READ)))];
  const known = words.filter((word) => knowsWord(edition, word)).length;
  return known < OWN_SHARE * words.length;
};
const MAX_READ = 4000;

/** Whether an article has a word, in whatever form. */
export const knowsWord = (edition: Edition, word: string): boolean =>
  findEntry(edition.index.terms, new TextEncoder().encode(stem(word))) >= 0;

/** The language of the articles (BCP 47); undefined where it cannot be told. */
export const languageOfArticles = (edition: Edition): string | undefined => languageOf(edition).language;

const languageOf = oncePer((edition: Edition) => {
  const chunks = Math.min(SAMPLE_CHUNKS, edition.chunkCount);
  const texts = Array.from(
    { length: chunks },
    (_, at) => edition.chunk(Math.floor((at * edition.chunkCount) / chunks)).text,
  );
  return { language: detectLanguage(texts.map((text) => text.slice(0, SAMPLE_LENGTH)).join('\n')) };
});
const SAMPLE_CHUNKS = 5;
const SAMPLE_LENGTH = 400;
