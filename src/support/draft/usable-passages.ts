import { RETRIEVAL_MIN_SCORE } from '../../contract/knowledge-retrieval.ts';
import type { Knowledge, KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { devicesNamedIn } from '../../knowledge/search/devices-named-in.ts';
import { shapeOf } from './passage-shape.ts';
import { primaryOf } from './phrases.ts';

interface UsableOptions {
  /** The customer's. */
  product?: string | undefined;
  products: readonly string[];
  /** BCP 47, the customer's or else the draft's. */
  language?: string | undefined;
}

/**
 * The passages that a draft may rest on: none of a weak source, none of an article on another product than the customer's; of what
 * remains, those in the customer's language where there are any. Not screened yet (`pickShownSteps`).
 *
 * @returns By source, best first; within one in the order given.
 */
export const usablePassages = (
  { passages = [], sources_consulted: sources }: Knowledge,
  { product, products, language }: UsableOptions,
): KnowledgePassage[] => {
  const strong = passages.flatMap((passage): KnowledgePassage[] => {
    const source = sources[passage.source];
    if (source === undefined || source.relevance_score < RETRIEVAL_MIN_SCORE) return [];
    // As the block names it, which has a title for every article.
    return [{ ...passage, title: source.title, url: source.url }];
  });
  const fitting = strong.filter((passage) => isAbout(passage, { product, products }));
  const own = language === undefined ? [] : fitting.filter((passage) => isIn(passage, language));
  return own.length > 0 ? own : fitting;
};

/** An article whose title names products is about those; others are about all. */
const isAbout = ({ title }: KnowledgePassage, { product, products }: UsableOptions): boolean => {
  if (product === undefined) return true;
  const named = devicesNamedIn(title, products).map((each) => each.toLowerCase());
  return named.length === 0 || named.includes(product.toLowerCase());
};

const isIn = (passage: KnowledgePassage, language: string): boolean =>
  primaryOf(shapeOf(passage).language ?? '') === primaryOf(language);
