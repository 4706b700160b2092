import { isMeaningfulReason, REASON_MIN_LENGTH } from '../contract/confidence-reason.ts';
import { statesLackOfInformation } from '../contract/lack-of-information.ts';
import type { NavigatorResponse } from '../contract/navigator-response.ts';
import { type PreparedSource, prepareSource } from '../grounding/support/prepare-source.ts';
import type { SupportReason } from '../grounding/support/support-reason.ts';
import { checkSupport, type SentenceSupport, SUPPORTED_FROM } from '../grounding/support-check.ts';
import { splitBlocks } from '../markup/split-blocks.ts';
import { unescapeHtml } from '../runtime/escape-html.ts';
import { splitSentences } from '../text/split-sentences.ts';
import { type Claim, type ClaimKind, extractClaims } from './extract-claims.ts';
import { isHedge } from './hedge.ts';
import { stemsOf } from './support-of-statement.ts';
import { wholeQuotes } from './whole-quotes.ts';

/** What the rules need to know of an article. */
export interface CitableArticle {
  /** The `file` of seed 004. */
  id: string;
  title: string;
  url?: string | undefined;
  text: string;
  /** Headings that do not stand in `text`, where that is only a part of the article. */
  headings?: readonly string[] | undefined;
  /** What the article reads from `start` to `end`, where `text` is only a part of it; `text.slice` when absent. */
  slice?: ((start: number, end: number) => string) | undefined;
}

/** The knowledge base an answer is checked against. */
export interface CitableKnowledge {
  article(file: string): CitableArticle | undefined;
  /** Of the articles' present texts. */
  edition?: string | undefined;
}

/** A rule of seed 004 that a response breaks. */
export interface Violation {
  rule: keyof typeof RULES;
  /** What is wrong, for the one who has to mend it: it names the offending words. */
  message: string;
}

/**
 * Checks a navigator's response against the validation rules of seed 004, whoever wrote it.
 *
 * @param options.query The question; an answer that states a lack of information may repeat its words.
 * @param options.vouched Further words that need no source, such as what the knowledge base is about.
 * @returns Every violation found, at most 100; empty when the response holds.
 */
export const validateNavigatorResponse = (
  response: NavigatorResponse,
  knowledge: CitableKnowledge,
  { query = '', vouched = '' }: { query?: string; vouched?: string } = {},
): Violation[] => {
  const subject = subjectOf(response, knowledge, `${query}\n${vouched}`);
  const names = Object.keys(RULES) as (keyof typeof RULES)[]; // `Object.keys` forgets the names that it lists.
  return names.flatMap((rule) => RULES[rule](subject).map((message) => ({ rule, message }))).slice(0, 100);
};

/** A response with what its rules have in common, computed once. */
interface Subject {
  response: NavigatorResponse;
  knowledge: CitableKnowledge;
  cited: CitableArticle[];
  /** All that may be repeated literally: the cited articles, and the question where nothing is cited. */
  allowed: string;
  /** The answer without its references, on one line. */
  answer: string;
  claims: Claim[];
  statements: string[];
  texts: PreparedSource[];
}

const subjectOf = (response: NavigatorResponse, knowledge: CitableKnowledge, granted: string): Subject => {
  const cited = response.sources.map(({ file }) => knowledge.article(file)).filter((article) => article !== undefined);
  const answer = withoutCitations(unescapeHtml(response.answer), response, cited);
  // A backslash before a `<`, an image or a link may be ours in the answer and the author's in the source.
  const own = cited.flatMap(({ id, title, url, headings, text }) => [
    ...[id, title, url ?? '', ...(headings ?? []), text],
    ...unescaped(text),
  ]);
  const allowed = collapse(response.sources.length > 0 ? own.join('\n') : granted);
  const texts = cited.map((article) => prepare(article).support);
  return {
    response,
    knowledge,
    cited,
    allowed,
    answer: collapse(answer),
    claims: extractClaims(answer),
    statements: statementsOf(answer),
    texts,
  };
};

const unescaped = (text: string): string[] => (text.includes('\\') ? [unescapeHtml(text)] : []);

/** Each rule gives a message for every breach. */
const RULES = {
  /** Rule 1 of seed 004: all cited files exist. */
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
      .filter((sentence) => !isContradicted(sentence))
      .map(({ text }) => `No cited source says ${JSON.stringify(text.slice(0, 120))}`),

  'not-contradicted': (subject: Subject): string[] =>
    doubted(subject)
      .filter(isContradicted)
      .map(({ text, doubts }) => {
        const why = `${doubts[0]?.reason ?? ''} ${doubts[0]?.words ?? ''}`.trim();
        return `A cited source says otherwise than ${JSON.stringify(text.slice(0, 120))}: ${why}`;
      }),

  /** Rule 4: a source that shares nothing with the answer does not support it. */
  'source-supports-answer': ({ response, knowledge, statements, answer }: Subject): string[] =>
    response.sources.flatMap(({ file, section, excerpts = [] }) => {
      const article = knowledge.article(file);
      if (!article || excerpts.some(({ quote }) => answer.includes(collapse(unescapeHtml(quote))))) return [];
      const texts = [prepare(article).support];
      if (sentencesOf(statements, texts).some(({ probability }) => probability >= RELATED_FROM)) return [];
      return [`Nothing in the answer rests on ${file}, ${section}`];
    }),

  'cited-inline': ({ response }: Subject): string[] =>
    response.sources.length === 0 ||
    response.sources.some(({ file }) => response.answer.includes(file) || unescapeHtml(response.answer).includes(file))
      ? []
      : ['The answer names none of its sources'],

  /** Rule 3. */
  'reason-meaningful': ({ response: { confidenceReason } }: Subject): string[] =>
    confidenceReason.trim().length >= REASON_MIN_LENGTH && isMeaningfulReason(confidenceReason)
      ? []
      : [`Confidence reason ${JSON.stringify(confidenceReason.slice(0, 80))} does not name any evidence`],

  /** Sources may be empty only out of domain, or when the answer says that information is lacking. */
  'sources-or-lack': ({ response: { answer, sources, outOfDomain } }: Subject): string[] =>
    sources.length > 0 || outOfDomain || statesLackOfInformation(answer)
      ? []
      : ['The answer has no sources and does not say that it lacks information'],

  /** Rule 5. */
  'out-of-domain-empty': ({ response: { sources, outOfDomain } }: Subject): string[] =>
    outOfDomain && sources.length > 0 ? [`The question is out of domain, yet ${sources[0]?.file} is cited`] : [],
};

/** A source of which a sentence of the answer could at least come. */
const RELATED_FROM = 0.2;

/** Sentences that the cited sources do not bear. */
const doubted = (subject: Subject): SentenceSupport[] => {
  const { response, statements, texts } = subject;
  if (response.sources.length === 0) return [];
  // What other rules report need not be reported twice: a made-up path, number or code.
  const reported = subject.claims.filter(({ text, kind }) => !standsIn(text, subject.allowed, kind));
  const quotes = wholeQuotes(response.sources, subject);
  const rest = statements
    .filter((statement) => statesSomething(statement) && !quotes.some((quote) => quote.includes(collapse(statement))))
    .map((statement) => without(statement, reported));
  return sentencesOf(rest, texts).filter(({ probability }) => probability < SUPPORTED_FROM);
};

const without = (statement: string, claims: readonly Claim[]): string =>
  claims.reduce((text, claim) => text.replaceAll(claim.text, ' '), statement);

const sentencesOf = (statements: readonly string[], texts: readonly PreparedSource[]): SentenceSupport[] =>
  statements.flatMap((statement) => checkSupport(statement, texts).sentences);

const isContradicted = ({ doubts: [worst] }: SentenceSupport): boolean =>
  worst !== undefined && CONTRADICTIONS.has(worst.reason);

const CONTRADICTIONS: ReadonlySet<SupportReason> = new Set<SupportReason>([
  'negation-differs',
  'antonym',
  'unit-differs',
  'number-misplaced',
  'roles-differ',
  'quantifier-differs',
  'modality-differs',
  'comparison-differs',
  'condition-differs',
]);

/** What says that information is lacking, or speaks of the answer itself, needs no source. */
const statesSomething = (statement: string): boolean => !statesLackOfInformation(statement) && !isHedge(statement);

const unfounded = ({ claims, allowed }: Subject, kind: ClaimKind, noun: string): string[] =>
  claims
    .filter((claim) => claim.kind === kind && !standsIn(claim.text, allowed, kind))
    .map(({ text }) => `The cited sources do not have ${noun} ${JSON.stringify(text.slice(0, 120))}`);

/** Literally, as whole words; letter case counts in code, commands, paths and ARNs only. */
const standsIn = (claim: string, allowed: string, kind: ClaimKind): boolean => {
  const exact = kind === 'code' || kind === 'command' || kind === 'path' || kind === 'arn';
  const text = exact ? allowed : allowed.toLowerCase();
  const wanted = collapse(exact ? claim : claim.toLowerCase());
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + wanted.length] ?? ' ';
    const opens = !/[\p{L}\p{N}]/u.test(before) || !/^[\p{L}\p{N}]/u.test(wanted);
    const closes = !/[\p{L}\p{N}]/u.test(after) || !/[\p{L}\p{N}]$/u.test(wanted);
    if (opens && closes) return true;
  }
  return false;
};

const hasSection = (article: CitableArticle, section: string): boolean => {
  const { headings } = prepare(article);
  // An article without a title is named by its file.
  if (plain(section) === plain(article.title || article.id) || headings.has(plain(section))) return true;
  const parts = section.split(' > ');
  return parts.length > 1 && parts.every((part) => headings.has(plain(part)));
};

/** What the rules read of an article; kept as long as the article object lives, since one article is cited often. */
interface PreparedArticle {
  support: PreparedSource;
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
    support: prepareSource({ text, title: [title, ...(article.headings ?? [])].join('\n') }),
    headings: new Set([...headings, ...further]),
  };
  prepared.set(article, made);
  return made;
};

/** Letters and digits alone: what is left of a heading whatever marks, links or entities it was written with. */
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
    // An id that is a plain word may stand in a sentence as that word, or in another one.
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
      .filter((statement) => stemsOf(statement).size >= MIN_WORDS);
  });

/** "According to", "As documented in": what is too short to state anything. */
const MIN_WORDS = 3;

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();
