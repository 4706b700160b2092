import { MAX_STATEMENTS } from '../../contract/core/ask.ts';
import {
  MAX_ALTERNATIVES,
  type NavigatorResponse,
  type ResponseQuality,
} from '../../contract/core/navigator-response.ts';
import { escapeText } from '../../documents/markdown/escape-html.ts';
import {
  type CachedChunk,
  cachedChunk,
  type Edition,
} from '../../knowledge/edition/open-edition.ts';
import type { SearchOutcome } from '../../knowledge/search/search-edition.ts';
import type { FramedAlternative } from './alternatives.ts';
import {
  type CitedStatement,
  citedArticles,
  citedSections,
  oneLine,
  type Place,
  rounded,
  sectionOf,
  statementOf,
} from './cite-sources.ts';
import type { Assessment } from './confidence.ts';
import type {
  ArticleHit,
  ChosenHits,
  ClosestArticle,
  NavigatorAnswer,
} from './navigator-answer.ts';

/** An answer, quoted or written by a model, before it is rendered. */
interface AnswerRecord {
  edition: Edition;
  outcome: SearchOutcome;
  chosen: ChosenHits;
  statements: readonly CitedStatement[];
  /** Number of statements that were written and removed. */
  removed: number;
  assessment: Assessment;
  /** Best first. */
  alternatives: readonly FramedAlternative[];
  closest: ClosestArticle[];
  /** Markdown, safe to render as HTML. */
  text: string;
  /** The words of `text` that need no source: titles, references and phrases. */
  frame: readonly string[];
}

/** The only way from an answer to the response of the contract. */
export function composeAnswer(record: AnswerRecord): NavigatorAnswer {
  const { edition, outcome, chosen, assessment, text, frame, closest } = record;
  const sources = citedSections(record.statements, edition.id);
  const statements = record.statements.map(statementOf);
  const alternatives = record.alternatives.slice(0, MAX_ALTERNATIVES);
  return {
    response: {
      answer: text,
      sources,
      quality: qualityOf(record, { statements, sources }),
      statements,
      confidence: assessment.confidence,
      confidenceReason: assessment.confidenceReason,
      relatedTopics: relatedTopics(
        edition,
        chosen.hits,
        record.statements.flatMap(({ places }) => places),
      ),
      outOfDomain: false,
      confidenceComponents: assessment.components,
      ...(alternatives.length > 0
        ? { alternatives: alternatives.map(({ alternative }) => alternative) }
        : {}),
      edition: edition.id,
      searchStrategy: strategyOf(outcome),
    },
    verdict: 'answer',
    probability: assessment.probability,
    sources: citedArticles(record.statements),
    closest,
    frame: [...frame, ...alternatives.flatMap((each) => each.frame)],
  };
}

/** How well an answer is founded. */
const qualityOf = (
  { removed, assessment: { agreement, factors } }: AnswerRecord,
  { statements, sources }: Pick<NavigatorResponse, 'sources'> & { statements: Statements },
): ResponseQuality => {
  const stating = statements.filter(({ sources: own }) => own.length > 0).slice(0, MAX_STATEMENTS);
  const lengthOf = (those: Statements) => those.reduce((sum, { text }) => sum + text.length, 0);
  const quoted = lengthOf(stating.filter(({ check }) => check === 'quoted'));
  return {
    statements: stating.length,
    supported: rounded(stating.length / Math.max(1, stating.length + removed)),
    quoted: rounded(quoted / Math.max(1, lengthOf(stating))),
    sources: new Set(sources.map(({ file }) => file)).size,
    agreement,
    factors: factors.map((factor) => ({
      ...factor,
      explanation: escapeText(factor.explanation, 500),
    })),
  };
};

type Statements = readonly ReturnType<typeof statementOf>[];

export function strategyOf({
  query,
  hits,
}: SearchOutcome): NonNullable<NavigatorResponse['searchStrategy']> {
  return {
    terms: query.terms.map(({ word }) => word).slice(0, 64),
    corrections: query.terms
      .flatMap(({ word, corrections: [read] }) =>
        read === undefined ? [] : [{ typed: word, read }],
      )
      .slice(0, 64),
    candidates: hits.length,
  };
}

const MAX_TOPICS = 5;
/** Passages in which topics are looked for. */
const MAX_HITS = 12;

/** Headings or titles of matching passages that were not quoted, each once. */
export function relatedTopics(
  edition: Edition,
  hits: readonly ArticleHit[],
  cited: readonly Place[],
): string[] {
  const topics = new Map<string, string>();
  const taken = new Set(
    cited.flatMap(({ chunk }) => [sectionOf(chunk), chunk.source.title].map(keyOf)),
  );
  const chunks = hits.slice(0, MAX_HITS).map(({ chunk }) => cachedChunk(edition, chunk));
  const articlesUnder = Map.groupBy(chunks, (chunk) => keyOf(sectionOf(chunk)));
  for (const chunk of chunks) {
    const own = articlesUnder.get(keyOf(sectionOf(chunk))) ?? [];
    // "See also" stands in many articles, and names no topic by itself.
    const isShared = own.some(({ article }) => article !== chunk.article);
    const topic = topicOf(chunk, isShared);
    const key = keyOf(topic);
    if (topic !== '' && !taken.has(key) && !topics.has(key)) topics.set(key, topic);
    if (topics.size === MAX_TOPICS) break;
  }
  return [...topics.values()].map((topic) => escapeText(topic, 200));
}

/** The heading of a passage without its number, or the title of its article when a word, a date or a version is all that it has. */
const topicOf = (chunk: CachedChunk, isShared: boolean): string => {
  const heading = sectionOf(chunk);
  const isTelling =
    !isShared && /\p{L}{2}|\p{Lo}/u.test(heading) && !/^\p{L}*\s?\d*$/u.test(heading);
  return oneLine(isTelling ? heading.replace(ITEM_NUMBER, '') : chunk.source.title, 200);
};

/** The number of a heading: "2. ", "3.1 ", "4) ". */
const ITEM_NUMBER = /^\d{1,3}(?:(?:\.\d{1,3})*[.)]|(?:\.\d{1,3})+)\s+(?=\S*\p{L})/u;

const keyOf = (topic: string) =>
  topic
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
