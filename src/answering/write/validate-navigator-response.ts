import { statesLackOfInformation } from '../../contract/core/lack-of-information.ts';
import {
  type Excerpt,
  isMeaningfulReason,
  type NavigatorResponse,
  type NavigatorSource,
  REASON_MIN_LENGTH,
} from '../../contract/core/navigator-response.ts';
import { parseBlocks } from '../../documents/markdown/blocks.ts';
import { unescapeHtml } from '../../documents/markdown/escape-html.ts';
import { analyseText } from '../../language/analyse-text.ts';
import { splitSentences } from '../../language/split-sentences.ts';
import { stem } from '../../language/stem.ts';
import { oncePer } from '../../platform/once-per.ts';
import {
  checkStatement,
  type Evidence,
  prepareEvidence,
  type StatementCheck,
} from '../check/check-statement.ts';
import {
  escapedPattern,
  type Literal,
  type LiteralKind,
  missingLiterals,
} from '../check/literals.ts';
import type { CitableArticle, CitableKnowledge } from './citable-knowledge.ts';
import { nameOf } from './cite-sources.ts';

/** A rule that a response breaks (docs/contract.md#navigator). */
interface Violation {
  rule: keyof typeof RULES;
  /** The cited file that it is about. */
  file?: string | undefined;
  /** The words of the answer that it is about. */
  words?: string | undefined;
  /** Index of the alternative that it is about; absent for the answer itself. */
  alternative?: number | undefined;
}

/** A finding of one rule. */
type Finding = Omit<Violation, 'rule'>;

interface ValidateOptions {
  /** The question; an answer that states a lack of information may repeat its words. */
  query?: string;
  /** Lines of the answer, and what stands at the end of lines, that are phrases of our own and titles: `NavigatorAnswer.frame`. */
  frame?: readonly string[];
  /** Parts of the answer that a judge has checked with all of its sources; the rules about words skip them. */
  checked?: readonly string[];
}

/**
 * Validates a navigator response, quoted or written by a model.
 *
 * The rules about words read what the answer adds of its own. Whole sentences, items, rows and blocks that stand in a source exactly as in
 * the answer need no comparison: out of its context, a quote can only be misread.
 *
 * @returns All violations, at most 100; empty for a valid response.
 */
export function validateNavigatorResponse(
  response: NavigatorResponse,
  knowledge: CitableKnowledge,
  { query = '', frame = [], checked = [] }: ValidateOptions = {},
): Violation[] {
  const subject = subjectOf(response, knowledge, { query, frame, checked });
  const names = Object.keys(RULES) as (keyof typeof RULES)[]; // `Object.keys` is typed as `string[]`.
  const own = names.flatMap((rule) =>
    RULES[rule](subject).map((finding) => ({ rule, ...finding })),
  );
  // An alternative is an answer of its own, in the words of its own sources.
  const { alternatives = [], ...rest } = response;
  const others = alternatives.flatMap(({ answer, sources, reason }, alternative) =>
    validateNavigatorResponse({ ...rest, answer, sources, confidenceReason: reason }, knowledge, {
      frame,
    }).map((violation) => ({ ...violation, alternative })),
  );
  return [...own, ...others].slice(0, 100);
}

/** The lines of an answer that are its own, without what a frame puts at their ends. */
const withoutFrame = (answer: string, frame: readonly string[]): string => {
  const framed = frame
    .flatMap((part) => unescapeHtml(part).split('\n'))
    .filter((line) => line !== '');
  const lines = new Set(framed);
  return answer
    .split('\n')
    .filter((line) => !lines.has(line))
    .map((line) => {
      const end = framed.find((part) => line.endsWith(` ${part}`));
      return end === undefined ? line : line.slice(0, -end.length - 1);
    })
    .join('\n');
};

/** A response with data that several rules need, computed once. */
interface Subject {
  response: NavigatorResponse;
  knowledge: CitableKnowledge;
  cited: CitableArticle[];
  checked: readonly string[];
  /** The answer without its frame and its references, on one line. */
  answer: string;
  /** Literals of the answer's own words that the cited articles lack; without citations, those that the question lacks. */
  missing: Literal[];
  /** Statements in the answer's own words. */
  statements: string[];
}

const subjectOf = (
  response: NavigatorResponse,
  knowledge: CitableKnowledge,
  { query, frame, checked }: Required<ValidateOptions>,
): Subject => {
  const cited = response.sources.flatMap(({ file }) => knowledge.article(file) ?? []);
  const answer = withoutCitations(withoutFrame(unescapeHtml(response.answer), frame), response);
  const own = withoutParts(answer, [
    ...wholeQuotes(response.sources, { answer: collapse(answer), knowledge }),
    ...checked.map((text) => collapse(unescapeHtml(text))),
  ]);
  return {
    response,
    knowledge,
    cited,
    checked,
    answer: collapse(answer),
    missing: missingIn(own, { response, cited, query }),
    statements: statementsOf(own),
  };
};

/** The literals of the answer's own words that neither the excerpts nor the rest of the cited articles hold. */
const missingIn = (
  own: string,
  { response: { sources }, cited, query }: Pick<Subject, 'response' | 'cited'> & { query: string },
): Literal[] => {
  if (!/[\p{L}\p{N}]/u.test(own)) return [];
  const missingFrom = (allowed: readonly string[]) => missingLiterals(own, allowed);
  if (sources.length === 0) return missingFrom([query]);
  const names = cited.flatMap(({ id, title, url, headings }) => [
    id,
    title,
    url ?? '',
    ...(headings ?? []),
  ]);
  const quotes = sources.flatMap(({ excerpts = [] }) => excerpts.map(({ quote }) => quote));
  // Mostly the excerpts are enough, and articles are long.
  const missing = missingFrom([...names, ...quotes, ...quotes.flatMap(unescaped)]);
  if (missing.length === 0) return [];
  const texts = cited.map(({ text }) => text);
  return missingFrom([...names, ...texts, ...texts.flatMap(unescaped)]);
};

// The backslash before a `<`, an image or a link may be our escape in the answer and the author's in the source.
const unescaped = (text: string): string[] => (text.includes('\\') ? [unescapeHtml(text)] : []);

/** A text without parts of it, whatever white space they have there; each leaves a blank line. */
const withoutParts = (text: string, parts: readonly string[]): string =>
  parts
    .filter((part) => part !== '')
    .toSorted((one, other) => other.length - one.length)
    .reduce(withoutPart, text);

const withoutPart = (text: string, part: string): string => {
  const words = part.split(' ').map(escapedPattern);
  return text.replace(new RegExp(words.join('\\s+'), 'g'), '\n\n');
};

/** Each rule returns what it finds. */
const RULES = {
  /** All cited files exist. */
  'file-exists': ({ response, knowledge }: Subject): Finding[] =>
    response.sources
      .filter(({ file }) => knowledge.article(file) === undefined)
      .map(({ file }) => ({ file })),

  'section-exists': ({ response, knowledge }: Subject): Finding[] =>
    response.sources
      .filter(({ file, section }) => {
        const article = knowledge.article(file);
        return article !== undefined && !hasSection(article, section);
      })
      .map(({ file }) => ({ file })),

  'quote-in-source': ({ response, knowledge }: Subject): Finding[] =>
    response.sources.flatMap(({ file, excerpts = [] }) => {
      const article = knowledge.article(file);
      if (article === undefined) return [];
      return excerpts
        .filter(({ quote, start, end }) => readIn(article, start, end) !== quote)
        .map(({ quote }) => ({ file, words: quote }));
    }),

  'edition-named': ({ response, knowledge }: Subject): Finding[] =>
    response.sources
      .filter(({ edition = knowledge.edition }) => edition !== (knowledge.edition ?? edition))
      .map(({ file }) => ({ file })),

  'url-in-source': (subject: Subject) => unfounded(subject, 'url'),
  'arn-in-source': (subject: Subject) => unfounded(subject, 'arn'),
  'code-in-source': (subject: Subject) => unfounded(subject, 'code'),
  'command-in-source': (subject: Subject) => unfounded(subject, 'command'),
  'path-in-source': (subject: Subject) => unfounded(subject, 'path'),
  'identifier-in-source': (subject: Subject) => unfounded(subject, 'identifier'),
  'number-in-source': (subject: Subject) => unfounded(subject, 'number'),

  'sentence-supported': (subject: Subject): Finding[] =>
    doubted(subject)
      .filter(({ check }) => !check.isContradicted)
      .map(({ text }) => ({ words: text })),

  'not-contradicted': (subject: Subject): Finding[] =>
    doubted(subject)
      .filter(({ check }) => check.isContradicted)
      .map(({ text }) => ({ words: text })),

  /** A source that shares nothing with the answer does not support it. */
  'source-supports-answer': ({
    response,
    knowledge,
    statements,
    answer,
    checked,
  }: Subject): Finding[] =>
    (checked.length > 0 ? [] : response.sources).flatMap(({ file, excerpts = [] }) => {
      const article = knowledge.article(file);
      if (!article || excerpts.some(({ quote }) => answer.includes(collapse(unescapeHtml(quote)))))
        return [];
      const own = prepareEvidence([evidenceIn(article)]);
      if (
        statements.some((statement) => checkStatement(statement, own).probability >= RELATED_FROM)
      )
        return [];
      return [{ file }];
    }),

  /** The answer names a source: by its title, or by its file. */
  'cited-inline': ({ response, cited }: Subject): Finding[] => {
    const answer = unescapeHtml(response.answer);
    const isNamed =
      cited.some((article) => plain(answer).includes(plain(unescapeHtml(nameOf(article))))) ||
      response.sources.some(({ file }) => answer.includes(file));
    return isNamed || response.sources.length === 0 ? [] : [{}];
  },

  'reason-meaningful': ({ response: { confidenceReason } }: Subject): Finding[] =>
    confidenceReason.trim().length >= REASON_MIN_LENGTH && isMeaningfulReason(confidenceReason)
      ? []
      : [{}],

  /** Sources may be empty only out of domain, or when the answer says that information is lacking. */
  'sources-or-lack': ({ response: { answer, sources, outOfDomain } }: Subject): Finding[] =>
    sources.length > 0 || outOfDomain || statesLackOfInformation(answer) ? [] : [{}],

  'out-of-domain-empty': ({ response: { sources, outOfDomain } }: Subject): Finding[] =>
    outOfDomain && sources.length > 0 ? [{ file: sources[0]?.file }] : [],
};

const readIn = (
  article: Pick<CitableArticle, 'text' | 'slice'>,
  start: number,
  end: number,
): string => (article.slice ? article.slice(start, end) : article.text.slice(start, end));

/** A source from which at least one sentence of the answer could come. */
const RELATED_FROM = 0.3;

/** Sentences that the cited sources do not state, except those that other rules report (a missing path, number or code). */
const doubted = oncePer(
  ({
    response,
    statements,
    cited,
    missing,
  }: Subject): { text: string; check: StatementCheck }[] => {
    // A statement of missing information needs no source.
    const stating = statements.filter((statement) => !statesLackOfInformation(statement));
    if (response.sources.length === 0 || stating.length === 0) return [];
    const texts = prepareEvidence(cited.map((article) => evidenceIn(article)));
    return stating
      .map((text) => ({ text, check: checkStatement(without(text, missing), texts) }))
      .filter(({ check }) => !check.isSupported);
  },
);

const without = (statement: string, literals: readonly Literal[]): string =>
  literals.reduce((text, literal) => text.replaceAll(literal.text, ' '), statement);

const unfounded = ({ missing }: Subject, kind: LiteralKind): Finding[] =>
  missing.filter((literal) => literal.kind === kind).map(({ text }) => ({ words: text }));

const hasSection = (article: CitableArticle, section: string): boolean => {
  // An article without a title is named by its file.
  if (plain(section) === plain(article.title || article.id) || hasHeading(article, plain(section)))
    return true;
  const parts = section.split(' > ');
  return parts.length > 1 && parts.every((part) => hasHeading(article, plain(part)));
};

const hasHeading = (article: CitableArticle, heading: string): boolean =>
  givenHeadings(article).has(heading) || headingsInText(article).has(heading);

const givenHeadings = oncePer(({ headings = [] }: CitableArticle) => new Set(headings.map(plain)));

const headingsInText = oncePer(
  ({ text }: CitableArticle) =>
    new Set(
      parseBlocks(text)
        .filter(({ kind }) => kind === 'heading')
        .map(({ start, end }) => plain(text.slice(start, end).split('\n')[0] ?? '')),
    ),
);

const evidenceIn = oncePer(
  ({ title, text, headings = [] }: CitableArticle): Evidence => ({
    text,
    headings: [title, ...headings],
  }),
);

/** Letters and digits of a heading, without marks, links and entities. */
const plain = (heading: string) =>
  heading
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/<[^>]{1,100}>/g, '')
    .replace(/&\w{1,10};/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The answer without its references to files, which are checked as files and sections. */
const withoutCitations = (answer: string, { sources }: NavigatorResponse): string =>
  sources
    .flatMap(({ file, section }) => [
      `(${file}, ${section} section)`,
      `(${file}, ${section})`,
      `(${file})`,
      // An id that is a plain word may also be an ordinary word of a sentence.
      ...(/[./_-]/.test(file) ? [file] : []),
    ])
    .sort((a, b) => b.length - a.length)
    .reduce((text, name) => text.replaceAll(name, ''), answer);

const statementsOf = (answer: string): string[] =>
  parseBlocks(answer).flatMap((block) => {
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
 * Quotes of whole sentences, items or rows that the answer contains unchanged; neighbouring ones are read as one. A quote from the middle
 * of a sentence does not count, since the omitted part may negate it, nor one that the source does not have at its place.
 *
 * @param shown.answer On one line.
 * @returns On one line each.
 */
export function wholeQuotes(
  sources: readonly NavigatorSource[],
  {
    answer,
    knowledge,
  }: {
    answer: string;
    knowledge: { article(file: string): Pick<CitableArticle, 'text' | 'slice'> | undefined };
  },
): string[] {
  return [...Map.groupBy(sources, ({ file }) => file)].flatMap(([file, own]) => {
    const article = knowledge.article(file);
    if (article === undefined) return [];
    const excerpts = own
      .flatMap((source) => source.excerpts ?? [])
      .filter(({ quote, start, end }) => readIn(article, start, end) === quote)
      .sort((one, other) => one.start - other.start);
    return [...joinNeighbours(excerpts, article), ...excerpts]
      .filter(
        ({ start, end }) =>
          BEGINS.test(readIn(article, Math.max(0, start - 3), start)) &&
          ENDS.test(readIn(article, end - 1, end + 1)),
      )
      .map(({ quote }) => unescapeHtml(quote).replace(/\s+/g, ' ').trim())
      .filter((quote) => answer.includes(quote));
  });
}

/** Excerpts with nothing but white space between them, as one: a passage may begin in one chunk of its article and end in the next. */
const joinNeighbours = (
  excerpts: readonly Excerpt[],
  article: Pick<CitableArticle, 'text' | 'slice'>,
): Excerpt[] => {
  const joined: Excerpt[] = [];
  for (const excerpt of excerpts) {
    const last = joined.at(-1);
    if (
      last !== undefined &&
      last.end <= excerpt.start &&
      /^\s*$/.test(readIn(article, last.end, excerpt.start))
    )
      joined.splice(-1, 1, {
        quote: readIn(article, last.start, excerpt.end),
        start: last.start,
        end: excerpt.end,
      });
    else joined.push(excerpt);
  }
  return joined.filter((each) => !excerpts.includes(each));
};

/** The text before a quote: the beginning, a line break, or the end of a sentence. */
const BEGINS = /^$|\n\s*$|[.!?]\s+$/;
/** The last character of a quote and the next one. */
const ENDS = /^[\s\S]$|^[.!?|:]|\n$/;
