import { RETRIEVAL_MIN_SCORE } from '../../contract/knowledge-retrieval.ts';
import { detectLanguage } from '../../knowledge/answers/languages/detect-language.ts';
import { isPlanted, isPlantedName } from '../../knowledge/answers/planted-text.ts';
import { splitBlocks } from '../../knowledge/answers/split-blocks.ts';
import { oncePer } from '../../knowledge/edition/once-per.ts';
import type { Knowledge, KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { devicesNamedIn } from '../../knowledge/search/devices-named-in.ts';
import { primaryOf } from './phrases.ts';

/** Passages that a draft may quote. */
export interface UsablePassages {
  /** Best first. */
  passages: readonly KnowledgePassage[];
  /** A text in some of them speaks to a model instead of a reader: it was left out. */
  isPlanted: boolean;
}

/**
 * Leaves out what a draft must not rest on: weak sources, texts that speak to a model, articles on another product than the
 * customer's. Of what remains, the passages in the customer's language where there are any.
 */
export const usablePassages = (
  { passages = [], sources_consulted }: Knowledge,
  {
    product,
    products,
    language,
  }: { product?: string | undefined; products: readonly string[]; language?: string | undefined },
): UsablePassages => {
  const strong = passages.filter(({ source, relevance }) => {
    const score = sources_consulted[source]?.relevance_score ?? 0;
    return Math.max(score, relevance) >= RETRIEVAL_MIN_SCORE && score > 0;
  });
  const screened = strong.map((passage) => ({ passage, shown: shownOf(passage) }));
  const fitting = screened
    .flatMap(({ shown }) => (shown === undefined ? [] : [shown]))
    .filter((passage) => isAbout(passage, { product, products }));
  const own = language === undefined ? [] : fitting.filter((passage) => isIn(passage, language));
  return {
    passages: own.length > 0 ? own : fitting,
    isPlanted: screened.some(({ passage, shown }) => shown !== passage),
  };
};

/** What of a passage may be shown: all before the first block that is planted; undefined for nothing. The same object where nothing is left out. */
const shownOf = (passage: KnowledgePassage): KnowledgePassage | undefined => restOf(passage).shown;

const restOf = oncePer((passage: KnowledgePassage): { shown: KnowledgePassage | undefined } => {
  if ([passage.articleId, passage.title, ...passage.headingPath].some(isPlantedName)) return { shown: undefined };
  const { text } = passage;
  const heading = passage.headingPath.at(-1) ?? '';
  const blocks = splitBlocks(text);
  const planted = blocks.find(({ start, end }, at) =>
    isPlanted(`${at === 0 ? `${heading}\n` : ''}${text.slice(start, end)}`),
  );
  const end = planted?.start ?? (isPlanted(text) ? 0 : text.length);
  if (end === text.length) return { shown: passage };
  const rest = text.slice(0, end).trimEnd();
  return { shown: rest === '' ? undefined : { ...passage, text: rest } };
});

/** An article whose title names products is about those; others are about all. */
const isAbout = (
  { title }: KnowledgePassage,
  { product, products }: { product?: string | undefined; products: readonly string[] },
): boolean => {
  if (product === undefined) return true;
  const named = devicesNamedIn(title, products).map((each) => each.toLowerCase());
  return named.length === 0 || named.includes(product.toLowerCase());
};

/** The language of a passage with its title; undefined where it is too short to tell. */
export const languageOfPassage: (passage: KnowledgePassage) => { language: string | undefined } = oncePer(
  ({ title, text }) => ({ language: detectLanguage(`${title}\n${text}`) }),
);

const isIn = (passage: KnowledgePassage, language: string): boolean =>
  primaryOf(languageOfPassage(passage).language ?? '') === primaryOf(language);
