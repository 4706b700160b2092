import type { NavigatorResponse, NavigatorSource } from '../contract/navigator-response.ts';
import { isMeaningfulReason, REASON_MIN_LENGTH, statesLackOfInformation } from '../contract/navigator-response.ts';
import {
  checkPrepared,
  prepareStatementEvidence,
  type StatementCheck,
  type StatementEvidence,
} from '../grounding/check-statement.ts';
import type { Evidence } from '../grounding/compare-statement.ts';
import { type Literal, type LiteralKind, missingLiterals } from '../grounding/literals.ts';
import { splitBlocks } from '../markup/split-blocks.ts';
import { escapeHtml, unescapeHtml } from '../runtime/escape-html.ts';
import { analyseText } from '../text/analyse-text.ts';
import { splitSentences } from '../text/split-sentences.ts';
import { stem } from '../text/stem.ts';
import { GOES_ON, isHedge, leadTo, linksTo, OTHERS, titlesOf } from './compose-answer.ts';
import type { ClosestArticle } from './navigator-answer.ts';

/** An article, as the rules read it. */
export interface CitableArticle {
  /** The `file` of a cited source. */
  id: string;
  title: string;
  url?: string | undefined;
  text: string;
  /** Headings that `text` lacks when it is only a part of the article. */
  headings?: readonly string[] | undefined;
  /** The article's text from `start` to `end` when `text` is only a part of it; `text.slice` when absent. */
  slice?: ((start: number, end: number) => string) | undefined;
}

/** The knowledge base that an answer is validated against. */
export interface CitableKnowledge {
  article(file: string): CitableArticle | undefined;
  /** Version of the current articles. */
  edition?: string | undefined;
}

/** A rule that a response breaks (docs/contract.md#navigator). */
export interface Violation {
  rule: keyof typeof RULES;
  /** The violation, with the offending words. */
  message: string;
}

/**
 * Validates a navigator response, quoted or written by a model.
 *
 * @param options.query The question; an answer that states a lack of information may repeat its words.
 * @param options.closest Further articles that the answer links to; their links need no source.
 * @param options.vouched Further words that need no source, such as the topics of the knowledge base.
 * @returns All violations, at most 100; empty for a valid response.
 */
export const validateNavigatorResponse = (
  response: NavigatorResponse,
  knowledge: CitableKnowledge,
  {
    query = '',
    vouched = '',
    closest = [],
  }: { query?: string; vouched?: string; closest?: readonly ClosestArticle[] } = {},
): Violation[] => {
  const cited = response.sources.flatMap(({ file }) => knowledge.article(file) ?? []);
  const links = [OTHERS, `${OTHERS} ${titlesOf(closest)}.`, ...linksTo(closest).split('\n')];
  const frame = new Set([...links, ...cited.map(leadTo)].map(escapeHtml));
  const said = response.answer
    .split('\n')
    .filter((line) => !frame.has(line) && !line.startsWith(`${GOES_ON} `) && !isHeadingOf(line, cited))
    .join('\n');
  const subject = {
    ...subjectOf({ ...response, answer: said }, knowledge, { query, vouched }),
    whole: response.answer,
  };
  const names = Object.keys(RULES) as (keyof typeof RULES)[]; // `Object.keys` is typed as `string[]`.
  return names.flatMap((rule) => RULES[rule](subject).map((message) => ({ rule, message }))).slice(0, 100);
};

/** "**Settings › Network**": the headings above a passage. */
const isHeadingOf = (line: string, cited: readonly CitableArticle[]): boolean => {
  const shown = /^\*\*(.{1,1200})\*\*$/.exec(line)?.[1];
  if (shown === undefined) return false;
  const path = unescapeHtml(shown)
    .split(' › ')
    .map((heading) => heading.replace(/\\(.)/g, '$1'));
  return cited.some((article) => path.every((heading) => hasSection(article, heading)));
};

/** A response with data that several rules need, computed once. */
interface Subject {
  /** `answer` without headings and links to further articles. */
  response: NavigatorResponse;
  /** The complete answer. */
  whole: string;
  knowledge: CitableKnowledge;
  cited: CitableArticle[];
  /** The answer without its references, on one line. */
  answer: string;
  /** Literals of the answer that the cited articles lack; without citations, those that the question lacks. */
  missing: Literal[];
  statements: string[];
  texts: StatementEvidence;
}

const subjectOf = (
  response: NavigatorResponse,
  knowledge: CitableKnowledge,
  { query, vouched }: { query: string; vouched: string },
): Omit<Subject, 'whole'> => {
  const cited = response.sources.map(({ file }) => knowledge.article(file)).filter((article) => article !== undefined);
  const answer = withoutCitations(unescapeHtml(response.answer), response, cited);
  // The backslash before a `<`, an image or a link may be our escape in the answer and the author's in the source.
  const own = cited.flatMap(({ id, title, url, headings, text }) => [
    ...[id, title, url ?? '', ...(headings ?? []), text],
    ...unescaped(text),
  ]);
  const allowed = response.sources.length > 0 ? [...own, vouched] : [`${query}\n${vouched}`];
  const granted = collapse(vouched);
  const evidence = cited.map((article) => prepare(article).evidence);
  return {
    response,
    knowledge,
    cited,
    answer: collapse(answer),
    missing: missingLiterals(answer, allowed).filter(({ kind }) => kind !== 'name'),
    statements: statementsOf(answer).filter((statement) => !granted.includes(collapse(statement))),
    texts: prepareStatementEvidence(evidence),
  };
};

const unescaped = (text: string): string[] => (text.includes('\\') ? [unescapeHtml(text)] : []);

/** Each rule returns a message per violation. */
const RULES = {
  /** All cited files exist. */
  'file-exists': ({ response, knowledge }: Subject): string[] =>
    response.sources
      .filter(({ file }) => !knowledge.article(file))
      .map(({ file }) => `Cited file ${file} is not in the knowledge base`),

  'section-exists': ({ response, knowledge }: Subject): string[] =>
    response.sources.flatMap(({ file, section }) => {
      const article = knowledge.article(file);
      if (!article || hasSection(article, section)) return [];
      return [`Cited section ${JSON.stringify(section)} is not a heading of ${file}`];
    }),

  'quote-in-source': ({ response, knowledge }: Subject): string[] =>
    response.sources.flatMap(({ file, excerpts = [] }) => {
      const article = knowledge.article(file);
      if (article === undefined) return [];
      const read = article.slice ?? ((start: number, end: number) => article.text.slice(start, end));
      return excerpts
        .filter(({ quote, start, end }) => read(start, end) !== quote)
        .map(
          ({ quote, start, end }) =>
            `${file} does not read ${JSON.stringify(quote.slice(0, 80))} from ${start} to ${end}`,
        );
    }),

  'edition-named': ({ response, knowledge }: Subject): string[] =>
    response.sources
      .filter(
        ({ edition }) => edition !== undefined && knowledge.edition !== undefined && edition !== knowledge.edition,
      )
      .map(({ file, edition }) => `${file} is cited from edition ${edition}, checked is ${knowledge.edition}`),

  'url-in-source': (subject: Subject) => unfounded(subject, 'url', 'URL'),
  'arn-in-source': (subject: Subject) => unfounded(subject, 'arn', 'ARN'),
  'code-in-source': (subject: Subject) => unfounded(subject, 'code', 'code'),
  'command-in-source': (subject: Subject) => unfounded(subject, 'command', 'command'),
  'path-in-source': (subject: Subject) => unfounded(subject, 'path', 'path'),
  'identifier-in-source': (subject: Subject) => unfounded(subject, 'identifier', 'identifier'),
  'number-in-source': (subject: Subject) => unfounded(subject, 'number', 'number'),

  'sentence-supported': (subject: Subject): string[] =>
    doubted(subject)
      .filter(({ check }) => !check.isContradicted)
      .map(({ text }) => `No cited source says ${JSON.stringify(text.slice(0, 120))}`),

  'not-contradicted': (subject: Subject): string[] =>
    doubted(subject)
      .filter(({ check }) => check.isContradicted)
      .map(
        ({ text, check }) =>
          `A cited source says otherwise than ${JSON.stringify(text.slice(0, 120))}: ${check.reason}`,
      ),

  /** A source that shares nothing with the answer does not support it. */
  'source-supports-answer': ({ response, knowledge, statements, answer }: Subject): string[] =>
    response.sources.flatMap(({ file, section, excerpts = [] }) => {
      const article = knowledge.article(file);
      if (!article || excerpts.some(({ quote }) => answer.includes(collapse(unescapeHtml(quote))))) return [];
      const own = prepareStatementEvidence([prepare(article).evidence]);
      if (statements.some((statement) => checkOf(statement, own).probability >= RELATED_FROM)) return [];
      return [`Nothing in the answer rests on ${file}, ${section}`];
    }),

  'cited-inline': ({ response, whole }: Subject): string[] =>
    response.sources.length === 0 ||
    response.sources.some(({ file }) => whole.includes(file) || unescapeHtml(whole).includes(file))
      ? []
      : ['The answer names none of its sources'],

  'reason-meaningful': ({ response: { confidenceReason } }: Subject): string[] =>
    confidenceReason.trim().length >= REASON_MIN_LENGTH && isMeaningfulReason(confidenceReason)
      ? []
      : [`Confidence reason ${JSON.stringify(confidenceReason.slice(0, 80))} does not name any evidence`],

  /** Sources may be empty only out of domain, or when the answer says that information is lacking. */
  'sources-or-lack': ({ response: { answer, sources, outOfDomain } }: Subject): string[] =>
    sources.length > 0 || outOfDomain || statesLackOfInformation(answer)
      ? []
      : ['The answer has no sources and does not say that it lacks information'],

  'out-of-domain-empty': ({ response: { sources, outOfDomain } }: Subject): string[] =>
    outOfDomain && sources.length > 0 ? [`The question is out of domain, yet ${sources[0]?.file} is cited`] : [],
};

/** A source from which at least one sentence of the answer could come. */
const RELATED_FROM = 0.3;

/** Sentences that the cited sources do not state, except those that other rules report (a missing path, number or code). */
const doubted = (subject: Subject): { text: string; check: StatementCheck }[] => {
  const { response, statements, texts, missing } = subject;
  if (response.sources.length === 0) return [];
  const quotes = wholeQuotes(response.sources, subject);
  return statements
    .filter((statement) => statesSomething(statement) && !quotes.some((quote) => quote.includes(collapse(statement))))
    .map((text) => ({ text, check: checkOf(without(text, missing), texts) }))
    .filter(({ check }) => check.verdict !== 'supported');
};

const without = (statement: string, literals: readonly Literal[]): string =>
  literals.reduce((text, literal) => text.replaceAll(literal.text, ' '), statement);

const checkOf = (statement: string, evidence: StatementEvidence): StatementCheck =>
  checkPrepared(statement, evidence, { question: '' });

/** A statement of missing information, or about the answer itself, needs no source. */
const statesSomething = (statement: string): boolean => !statesLackOfInformation(statement) && !isHedge(statement);

const unfounded = ({ missing }: Subject, kind: LiteralKind, noun: string): string[] =>
  missing
    .filter((literal) => literal.kind === kind)
    .map(({ text }) => `The cited sources do not have ${noun} ${JSON.stringify(text.slice(0, 120))}`);

const hasSection = (article: CitableArticle, section: string): boolean => {
  const { headings } = prepare(article);
  // An article without a title is named by its file.
  if (plain(section) === plain(article.title || article.id) || headings.has(plain(section))) return true;
  const parts = section.split(' > ');
  return parts.length > 1 && parts.every((part) => headings.has(plain(part)));
};

/** The analysis of an article, cached by object identity, since articles are cited repeatedly. */
interface PreparedArticle {
  evidence: Evidence;
  headings: Set<string>;
}

const prepared = new WeakMap<CitableArticle, PreparedArticle>();

const prepare = (article: CitableArticle): PreparedArticle => {
  const known = prepared.get(article);
  if (known) return known;
  const { title, text } = article;
  const headings = splitBlocks(text)
    .filter(({ kind }) => kind === 'heading')
    .map(({ start, end }) => plain(text.slice(start, end).split('\n')[0] ?? ''));
  const further = (article.headings ?? []).map(plain);
  const made = {
    evidence: { text, headings: [title, ...(article.headings ?? [])] },
    headings: new Set([...headings, ...further]),
  };
  prepared.set(article, made);
  return made;
};

/** Letters and digits of a heading, without marks, links and entities. */
const plain = (heading: string) =>
  heading
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/<[^>]{1,100}>/g, '')
    .replace(/&\w{1,10};/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The answer without its references, which are checked as files and sections. */
const withoutCitations = (answer: string, { sources }: NavigatorResponse, cited: readonly CitableArticle[]): string => {
  const names = sources.flatMap(({ file, section }) => [
    `(${file}, ${section} section)`,
    `(${file}, ${section})`,
    `${file}, ${section}`,
    // An id that is a plain word may also be an ordinary word of a sentence.
    ...(/[./_-]/.test(file) ? [file] : []),
  ]);
  const existing = new Set(cited.map(({ id }) => id));
  return names
    .filter((name) => existing.size > 0 || !name.includes('/'))
    .sort((a, b) => b.length - a.length)
    .reduce((text, name) => text.replaceAll(name, ''), answer);
};

const statementsOf = (answer: string): string[] =>
  splitBlocks(answer).flatMap((block) => {
    if (block.kind === 'code' || block.kind === 'raw') return [];
    const spans = block.items.length > 0 ? block.items : splitSentences(answer, block);
    return spans
      .map(({ start, end }) => answer.slice(start, end))
      .filter((statement) => contentWordsIn(statement) >= MIN_WORDS);
  });

const contentWordsIn = (text: string): number => {
  const stems = new Set<string>();
  analyseText(text, (word, kind) => {
    if ((kind === 'word' || kind === 'compound') && word !== 'not') stems.add(stem(word));
  });
  return stems.size;
};

/** Shorter phrases state nothing: "According to", "As documented in". */
const MIN_WORDS = 3;

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();

/**
 * Quotes of whole sentences, items or rows that the answer contains unchanged. A quote from the middle of a sentence does not count, since
 * the omitted part may negate it.
 *
 * @param shown.answer On one line.
 * @returns On one line each.
 */
export const wholeQuotes = (
  sources: readonly NavigatorSource[],
  { answer, knowledge }: { answer: string; knowledge: { article(file: string): { text: string } | undefined } },
): string[] =>
  sources.flatMap(({ file, excerpts = [] }) => {
    const text = knowledge.article(file)?.text ?? '';
    return excerpts
      .filter(
        ({ start, end }) =>
          BEGINS.test(text.slice(Math.max(0, start - 3), start)) && ENDS.test(text.slice(end - 1, end + 1)),
      )
      .map(({ quote }) => unescapeHtml(quote).replace(/\s+/g, ' ').trim())
      .filter((quote) => answer.includes(quote));
  });

/** The text before a quote: the beginning, a line break, or the end of a sentence. */
const BEGINS = /^$|\n\s*$|[.!?]\s+$/;
/** The last character of a quote and the next one. */
const ENDS = /^[\s\S]$|^[.!?|:]|\n$/;
