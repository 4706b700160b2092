import { RETRIEVAL_MIN_SCORE } from '../../contract/knowledge-retrieval.ts';
import type { Knowledge, KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { devicesNamedIn } from '../../search/devices-named-in.ts';
import { primaryOf } from '../languages.ts';
import { shapeOf } from './passage-shape.ts';

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
  // An article whose title names products is about those.
  const others = otherProducts({ product, products });
  const strong = passages.flatMap((passage): KnowledgePassage[] => {
    const source = sources[passage.source];
    if (source === undefined || source.relevance_score < RETRIEVAL_MIN_SCORE) return [];
    // As the block names it, which has a title for every article.
    return [{ ...passage, title: source.title, url: source.url }];
  });
  const fitting = strong.filter(({ title }) => !others.inTitle(title));
  const own = language === undefined ? [] : fitting.filter((passage) => isIn(passage, language));
  return own.length > 0 ? own : fitting;
};

/** Products as a customer's is told from them. */
export interface OtherProducts {
  /** Whether a title names products, and the customer's is none of them. */
  inTitle: (title: string) => boolean;
  /** The same of a sentence, where "Apollo" may be said for an Apollo II. */
  inSentence: (sentence: string) => boolean;
}

/** What speaks of other products than the customer's alone; nothing does where no product is known. */
export const otherProducts = ({ product, products }: Pick<UsableOptions, 'product' | 'products'>): OtherProducts => {
  if (product === undefined) return { inTitle: () => false, inSentence: () => false };
  // "Brightseam Apollo II" is the Apollo II.
  const own = [product, ...devicesNamedIn(product, products)].map((each) => each.toLowerCase());
  const isOther = (text: string, isOwn: (named: string) => boolean): boolean => {
    const named = devicesNamedIn(text, products);
    return named.length > 0 && !named.some((each) => isOwn(each.toLowerCase()));
  };
  return {
    inTitle: (title) => isOther(title, (named) => own.includes(named)),
    inSentence: (sentence) =>
      isOther(sentence.replace(CODE_OR_ADDRESS, ' '), (named) =>
        own.some((each) => ` ${each} `.includes(` ${named} `)),
      ),
  };
};

const CODE_OR_ADDRESS = /`[^`\n]{1,300}`|\S{1,100}(?:\/\/|\.\p{Ll}{2,6}(?!\p{L}))\S{0,300}/gu;

const isIn = (passage: KnowledgePassage, language: string): boolean =>
  primaryOf(shapeOf(passage).language ?? '') === primaryOf(language);
