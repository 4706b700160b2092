import type { Knowledge, KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { chunkAtHand } from '../../search/chunks-at-hand.ts';
import type { Edition } from '../../search/open-edition.ts';

/** Of an article, so many passages on either side of the best one: a long manual is no answer as a whole. */
const EITHER_SIDE = 8;
/** What was not found for itself is worth less than what was found in the same article. */
const BESIDE = 0.85;

/**
 * The passages that were found with what stands beside them in the same articles, in the order of the article: steps are often
 * told in other words than the trouble that they end.
 *
 * @returns The same knowledge where the edition is another one than was searched.
 */
export const withWholeArticles = (knowledge: Knowledge, edition: Edition): Knowledge => {
  const { passages = [], edition: searched } = knowledge;
  if (searched !== edition.id) return knowledge;
  const sources = [...new Set(passages.map(({ source }) => source))];
  const whole = sources.flatMap((source) => {
    const found = passages.filter((each) => each.source === source);
    return wholeArticle(found, edition) ?? found;
  });
  return { ...knowledge, passages: whole };
};

/** @param found Of one article, the best first. */
const wholeArticle = (found: readonly KnowledgePassage[], edition: Edition): KnowledgePassage[] | undefined => {
  const [best] = found;
  const article = best === undefined ? -1 : edition.findArticle(best.articleId);
  if (best === undefined || article < 0) return undefined;
  const { firstChunk, endChunk } = edition.article(article);
  const chunks = Array.from({ length: endChunk - firstChunk }, (_, at) => chunkAtHand(edition, firstChunk + at));
  const place = chunks.findIndex(({ text }) => text === best.text);
  if (place < 0) return undefined;
  return chunks.flatMap(({ headingPath, text }, at): KnowledgePassage[] => {
    const known = found.find((each) => each.text === text);
    if (known !== undefined) return [known];
    if (Math.abs(at - place) > EITHER_SIDE) return [];
    return [{ ...best, headingPath, text, relevance: best.relevance * BESIDE }];
  });
};
