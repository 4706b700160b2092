import { RETRIEVAL_MIN_SCORE } from '../../contract/knowledge.ts';
import { coverageOf, type Knowledge } from '../../knowledge/retrieval/knowledge.ts';
import type { Answer } from './answer-passages.ts';

/** A code such as `E40` or `F07`: letters and digits in one word. A plain number is none: it stands in many articles. */
const CODE =
  /(?<![\p{L}\p{N}_-])(?=[\p{L}\p{N}_-]*\p{L})(?=[\p{L}\p{N}_-]*\p{N})[\p{L}\p{N}_-]{2,40}(?![\p{L}\p{N}_-])/gu;
const MAX_READ = 8000;

/**
 * Quotes only from the level on at which the note says that the knowledge base covers the message. An article whose quoted passage has a code of
 * the message is sure to be about it, and counts as a source that answers. Below that level nothing is quoted, not even a warning.
 *
 * @param question What the customer wrote.
 */
export const atQuotingLevel = (
  { found, answer }: { found: Knowledge; answer: Answer },
  question: string,
): { found: Knowledge; answer: Answer } => {
  if (answer.passages.length === 0) return { found, answer };
  const codes = [...new Set(question.slice(0, MAX_READ).toLowerCase().match(CODE) ?? [])];
  const isNamed = (source: { title: string; url: string }) =>
    answer.passages.some(
      ({ title, url, text }) =>
        title === source.title &&
        url === source.url &&
        (text.toLowerCase().match(CODE) ?? []).some((code) => codes.includes(code)),
    );
  const sources = found.sources_consulted
    .map((source) =>
      isNamed(source) ? { ...source, relevance_score: Math.max(source.relevance_score, RETRIEVAL_MIN_SCORE) } : source,
    )
    .toSorted((one, other) => other.relevance_score - one.relevance_score);
  const coverage = coverageOf(Math.max(0, ...sources.map(({ relevance_score }) => relevance_score)));
  if (isCovered({ coverage }))
    return { found: { ...found, sources_consulted: sources, coverage: higher(coverage, found.coverage) }, answer };
  return { found, answer: { ...answer, passages: [] } };
};

/** Whether the note calls a message covered by the knowledge base. */
export const isCovered = ({ coverage }: Pick<Knowledge, 'coverage'>): boolean =>
  coverage === 'high' || coverage === 'medium';

/** The sources of a draft that a model is sure of count as sources that answer: its statements were checked against them. */
export const coveredBy = (found: Knowledge, passages: readonly { title: string; url: string }[]): Knowledge => {
  const isUsed = (source: { title: string; url: string }) =>
    passages.some(({ title, url }) => title === source.title && url === source.url);
  const sources = found.sources_consulted
    .map((source) =>
      isUsed(source) ? { ...source, relevance_score: Math.max(source.relevance_score, RETRIEVAL_MIN_SCORE) } : source,
    )
    .toSorted((one, other) => other.relevance_score - one.relevance_score);
  return { ...found, sources_consulted: sources, coverage: higher('medium', found.coverage) };
};

/** Coverage may already be lower on purpose, as for another product; a code never lowers it. */
const higher = (one: Knowledge['coverage'], other: Knowledge['coverage']): Knowledge['coverage'] =>
  ORDER.indexOf(one) > ORDER.indexOf(other) ? one : other;
const ORDER: readonly Knowledge['coverage'][] = ['none', 'low', 'medium', 'high'];
