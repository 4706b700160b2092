import type { Statement } from '../contract/ask.ts';
import { Link } from '../contract/names.ts';
import {
  type ConfidenceFactor,
  levelOf,
  NavigatorResponse,
  type NavigatorSource,
  PARTIAL_BELOW,
} from '../contract/navigator-response.ts';
import type { CheckedAnswer, CheckedStatement } from '../grounding/checked-answer.ts';
import { ageOf } from '../grounding/page-age.ts';
import { hiddenIn, overlaps, placesInChunks, type ShownPassage } from '../grounding/shown-passages.ts';
import { splitBlocks } from '../markup/split-blocks.ts';
import { type AnswerPhrases, filled } from '../runtime/answer-phrases.ts';
import { escapeHtml, escapeText } from '../runtime/escape-html.ts';
import { answeringModelOf, relevanceOfHits } from '../search/answering-model.ts';
import { devicesNamedIn } from '../search/devices-named-in.ts';
import type { CachedChunk, Edition } from '../search/open-edition.ts';
import type { SearchOutcome } from '../search/search-edition.ts';
import type { Span } from '../text/split-sentences.ts';
import { alternativesOf, type Comparison, compareWithOthers, withoutFaultyAlternatives } from './alternatives.ts';
import {
  agreementFactors,
  agreementOf,
  factorIf,
  qualityOf,
  reasonFrom,
  relatedTopics,
  strategyOf,
} from './assemble-answer.ts';
import {
  linkedCitationOf,
  oneLine,
  otherDevices,
  type PlacedQuote,
  sectionOf,
  sourceOfQuote,
} from './compose-answer.ts';
import { type AnswerViolation, type ClosestArticle, chooseHits, type NavigatorAnswer } from './navigator-answer.ts';
import {
  type CitableArticle,
  type CitableKnowledge,
  type Violation,
  validateNavigatorResponse,
} from './validate-navigator-response.ts';

interface ModelAnswerParts {
  edition: Edition;
  question: string;
  /** Without prompt injections. */
  outcome: SearchOutcome;
  passages: readonly ShownPassage[];
  written: CheckedAnswer<ShownPassage>;
  phrases: AnswerPhrases;
  /** The time of the question. */
  now: Date;
  /** Upper bound of the probability, 0 to 1: a follow-up is never surer than the same question asked in full. */
  atMost?: number | undefined;
  /** What the answer is validated against; the shown passages when absent, as what was not shown cannot be cited. */
  knowledge?: CitableKnowledge | undefined;
}

/**
 * Builds the response from checked statements. Sources, sections, excerpts and related topics come from the evidence; only the statements
 * are the model's, each paragraph followed by its references.
 */
const composeModelAnswer = (parts: ModelAnswerParts): NavigatorAnswer => {
  const { edition, question, outcome, written } = parts;
  const chosen = chooseHits(edition, question, outcome.hits);
  const cited = citedOf(written.statements);
  const quotes = cited.map(quoteOf);
  const isOtherDevice = chosen.named.length > 0 && cited.every(({ chunk }) => isAboutOthers(chunk, chosen.named));
  const comparisons = compareWithOthers(edition, quotes, chosen);
  const assessed = assess(parts, { isOtherDevice, comparisons });
  const sources = sourcesOf(cited, edition.id);
  const statements = written.statements.map(statementOf);
  const alternatives = alternativesOf({
    ...{ edition: edition.id, probability: Math.min(assessed.probability, CONFLICT_LIMIT) },
    ...{ sources, comparisons, phrases: parts.phrases },
  });
  const response: NavigatorResponse = {
    answer: compose(written.statements, {
      isHedged: assessed.probability < HEDGED_BELOW,
      otherThan: isOtherDevice ? chosen.named : [],
      open: openSentences(written, parts.phrases),
      dates: oldDates(parts),
      phrases: parts.phrases,
    }),
    ...{ sources, statements },
    ...(alternatives.length > 0 ? { alternatives } : {}),
    quality: qualityOf({ statements, sources, assessed, removed: written.removed.length }),
    confidence: levelOf(assessed.probability),
    confidenceReason: assessed.reason,
    relatedTopics: relatedTopics(edition, chosen.hits, quotes),
    outOfDomain: false,
    confidenceComponents: assessed.components,
    edition: edition.id,
    searchStrategy: strategyOf(outcome),
  };
  const relevances = relevanceOfHits(outcome, answeringModelOf(edition));
  return {
    response,
    verdict: 'answer',
    probability: assessed.probability,
    closest: relatedTo(written.related, response.sources),
    sources: response.sources.map(({ file }) => {
      const own = cited.filter(({ chunk }) => chunk.source.id === file);
      const places = own.map(({ chunk }) => outcome.hits.findIndex((hit) => hit.chunk === chunk.index));
      const relevance = Math.max(assessed.probability, ...places.map((place) => relevances[place] ?? 0));
      return { title: own[0]?.chunk.source.title || file, url: own[0]?.chunk.source.url ?? '', relevance };
    }),
  };
};

/**
 * `composeModelAnswer`, validated: statements that break a rule of the contract are left out, and the rest is composed again.
 *
 * @returns The answer, undefined when nothing holds; with the violations, and the statements that were left out.
 */
export const composeValidAnswer = (
  parts: ModelAnswerParts,
): { answer: NavigatorAnswer | undefined; violations: AnswerViolation[]; dropped: StatementOf[] } => {
  const knowledge = parts.knowledge ?? knowledgeOf(parts.passages, parts.edition.id);
  const violations: AnswerViolation[] = [];
  const dropped: StatementOf[] = [];
  for (let { statements } = parts.written; ; ) {
    const answer = composeModelAnswer({ ...parts, written: { ...parts.written, statements } });
    const {
      answer: rest,
      violations: found,
      dropped: others,
    } = withoutFaultyAlternatives(answer, violationsOf(answer, statements, { knowledge, parts }));
    violations.push(...others);
    if (found.length === 0)
      return { answer: violations.length === 0 ? rest : { ...rest, violations }, violations, dropped };
    const kept = statements.filter((statement) => !isFaulty(statement, found));
    const isMended = kept.length < statements.length && kept.length > 0;
    const outcome = isMended ? ('dropped' as const) : ('abstained' as const);
    violations.push(...[...new Set(found.map(({ rule }) => rule))].map((rule) => ({ rule, outcome })));
    if (!isMended) return { answer: undefined, violations, dropped: [...parts.written.statements] };
    dropped.push(...statements.filter((statement) => !kept.includes(statement)));
    statements = kept;
  }
};

type StatementOf = CheckedStatement<ShownPassage>;

/** A rule about its content, or `form` for the schema. */
type BrokenRule = Pick<Violation, 'file' | 'words' | 'alternative'> & { rule: string };

const violationsOf = (
  { response, closest }: NavigatorAnswer,
  statements: readonly StatementOf[],
  { knowledge, parts }: { knowledge: CitableKnowledge; parts: ModelAnswerParts },
): BrokenRule[] => {
  const { phrases, written } = parts;
  const read = NavigatorResponse.safeParse(response);
  const form = read.success ? [] : [{ rule: 'form' }];
  const checked = statements.map((statement) => ({
    text: escapeHtml(statement.text),
    files: citedOf([statement]).map(({ chunk }) => chunk.source.id),
  }));
  const open = openSentences(written, phrases).map((text) => ({ text: escapeHtml(text), files: [] }));
  const vouched = [...new Set(oldDates(parts).values())].map((day) => filled(phrases.asOf, { day })).join('\n');
  const options = { closest, checked: [...checked, ...open], phrases, vouched };
  return [...form, ...validateNavigatorResponse(response, knowledge, options)];
};

/** Whether a violation is about words of a statement or of its quotes, or about an article that it cites as a whole. */
const isFaulty = (statement: StatementOf, violations: readonly BrokenRule[]): boolean => {
  const text = oneLine(statement.text, Number.POSITIVE_INFINITY);
  const cited = citedOf([statement]);
  return violations.some(({ file, words }) =>
    words === undefined
      ? cited.some(({ chunk }) => chunk.source.id === file)
      : text.includes(oneLine(words, Number.POSITIVE_INFINITY)) ||
        cited.some(({ chunk, start, end }) => chunk.text.slice(start, end) === words),
  );
};

/** A checked statement with its evidence, for readers. */
export const statementOf = (statement: CheckedStatement<ShownPassage>): Statement => ({
  text: escapeHtml(statement.text),
  sources: citedOf([statement])
    .slice(0, MAX_EXCERPTS)
    .map((cited) => sourceOfQuote({ ...cited, article: cited.chunk.source })),
  support: rounded(statement.probability),
  check: statement.probability === 1 ? 'quoted' : 'judged',
});

/** The shown passages as the knowledge for validation. */
const knowledgeOf = (passages: readonly ShownPassage[], edition: string): CitableKnowledge => {
  const articles = new Map<string, CitableArticle>();
  for (const { source } of passages) {
    const { id, title, url } = source;
    if (articles.has(id)) continue;
    const own = passages.filter((passage) => passage.source.id === id);
    const chunks = own.flatMap(({ pieces }) => pieces.map(({ chunk }) => chunk));
    articles.set(id, {
      ...{ id, title, url },
      text: own.map(({ text }) => text).join('\n\n'),
      headings: [...new Set(chunks.flatMap(({ headingPath }) => headingPath))],
      slice: (start, end) => sliceOf(chunks, { start, end }),
    });
  }
  return { article: (file) => articles.get(file), edition };
};

const sliceOf = (chunks: readonly CachedChunk[], { start, end }: Span): string => {
  const holder = chunks.find((chunk) => start >= chunk.start && end <= chunk.end);
  if (holder === undefined) return '';
  const span = { start: start - holder.start, end: end - holder.start };
  return overlaps(hiddenIn(holder), span) ? '' : holder.text.slice(span.start, span.end);
};

/** A part of a chunk that supports a statement. */
interface Cited extends Span {
  chunk: CachedChunk;
}

/** The quotes of all statements by chunk. */
const citedOf = (statements: readonly CheckedStatement<ShownPassage>[]): Cited[] => {
  const cited = new Map<string, Cited>();
  for (const { quotes } of statements)
    for (const { passage, span } of quotes)
      for (const place of placesInChunks(passage, span))
        cited.set(`${place.chunk.index} ${place.start} ${place.end}`, place);
  return [...cited.values()];
};

/** Per section. */
const MAX_EXCERPTS = 20;

const sourcesOf = (cited: readonly Cited[], edition: string): NavigatorSource[] => {
  const sources = new Map<string, NavigatorSource>();
  for (const { chunk, start, end } of cited) {
    const section = sectionOf(chunk, chunk.source);
    const excerpt = { quote: chunk.text.slice(start, end), start: chunk.start + start, end: chunk.start + end };
    const key = `${chunk.source.id}\n${section}`;
    const known = sources.get(key);
    if (known?.excerpts !== undefined) {
      if (known.excerpts.length < MAX_EXCERPTS) known.excerpts.push(excerpt);
    } else
      sources.set(key, {
        ...{ file: chunk.source.id, section, edition, excerpts: [excerpt] },
        relevance: `States what the answer says: ${escapeText(oneLine(excerpt.quote, 120), 160)}`,
      });
  }
  return [...sources.values()];
};

/** A quote as an input of the comparison with other sources. */
const quoteOf = ({ chunk, start, end }: Cited): PlacedQuote => ({
  ...{ chunk, start, end, article: chunk.source },
  ...{ text: chunk.text.slice(start, end), relevance: 0, matched: [] },
});

/** Its article is for other devices, and neither its headings nor its text name a requested one. */
const isAboutOthers = ({ source, headingPath, text }: CachedChunk, named: readonly string[]): boolean => {
  const wanted = named.map((device) => device.toLowerCase());
  if (source.devices.length === 0 || source.devices.some((device) => wanted.includes(device.toLowerCase())))
    return false;
  return devicesNamedIn([source.title, ...headingPath, text].join('\n'), wanted).length === 0;
};

/** Probability of an answer to all parts of the question, of which each statement is judged and none was removed (docs/navigator.md). */
const ANSWERED = 0.95;
/** What a part counts that is answered in part. */
const IN_PART = 0.6;
/** Factor when as many statements were removed as stayed. */
const REMOVED_WEIGHT = 0.5;
/** Factor without a judge: only whole sentences and rows of the articles are left then. */
const UNJUDGED_FACTOR = 0.8;
const OTHER_DEVICE_FACTOR = 0.5;
/** Upper bound when sources contradict each other: `low`, as the contract requires (docs/contract.md#navigator). */
const CONFLICT_LIMIT = 0.55;
/** Share of the remaining doubt that a second, agreeing source removes. */
const AGREEMENT_GAIN = 0.3;
const HEDGED_BELOW = 0.4;

const assess = (
  { written, phrases, atMost = 1 }: ModelAnswerParts,
  { isOtherDevice, comparisons }: { isOtherDevice: boolean; comparisons: readonly Comparison[] },
) => {
  const { statements, removed, parts, isJudged } = written;
  const conflicting = comparisons.find(({ verdict }) => verdict === 'conflicts');
  const agreeing = comparisons.find(({ verdict }) => verdict === 'agrees');
  const answered = parts.filter(({ state }) => state === 'answered').length;
  const partly = parts.filter(({ state }) => state === 'in_part').length;
  const answeredShare = (answered + IN_PART * partly) / Math.max(1, parts.length);
  const support = Math.min(...statements.map(({ probability }) => probability));
  const removedShare = removed.length / Math.max(1, removed.length + statements.length);
  let probability = ANSWERED * answeredShare * support * (1 - REMOVED_WEIGHT * removedShare);
  if (!isJudged) probability *= UNJUDGED_FACTOR;
  if (isOtherDevice) probability *= OTHER_DEVICE_FACTOR;
  if (conflicting) probability = Math.min(probability, CONFLICT_LIMIT);
  else if (agreeing && probability >= PARTIAL_BELOW) probability = 1 - (1 - probability) * (1 - AGREEMENT_GAIN);
  probability = Math.min(probability, atMost);
  const level = levelOf(probability);
  const count = (of: number): Record<'count', string> => ({ count: String(of) });
  const factors: ConfidenceFactor[] = [
    {
      name: 'parts',
      effect: answeredShare < 1 ? 'lowers' : 'sets',
      explanation: filled(phrases.partsAnswered, { ...count(answered + partly), total: String(parts.length) }),
    },
    {
      name: 'support',
      effect: isJudged ? 'raises' : 'lowers',
      explanation: filled(isJudged ? phrases.modelWrote : phrases.notJudged, count(statements.length)),
    },
    ...factorIf(removed.length > 0, {
      name: 'removed',
      effect: 'lowers',
      explanation: filled(phrases.removed, count(removed.length)),
    }),
    ...factorIf(isOtherDevice, {
      name: 'other_device',
      effect: 'lowers',
      explanation: phrases.otherDevices,
    }),
    ...agreementFactors({ conflicting, agreeing }, phrases),
  ];
  return {
    probability,
    factors,
    agreement: agreementOf(conflicting, agreeing),
    reason: reasonFrom(level, factors, phrases),
    components: {
      probability: rounded(probability),
      support: rounded(support),
      removed: rounded(removedShare),
      agreement: conflicting ? 0 : agreeing ? 1 : 0.5,
    },
  };
};

const rounded = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000;

/** Says what the answer leaves open: in the model's words where those are confirmed, else by the names of the parts. */
const openSentences = ({ parts, missing }: CheckedAnswer<ShownPassage>, phrases: AnswerPhrases): string[] => {
  if (missing !== '') return [missing];
  const open = parts.filter(({ state }) => state === 'open');
  const named = open.filter(({ asked }) => asked !== '');
  return [
    ...named.map(({ asked }) => filled(phrases.nothingAbout, { question: `“${oneLine(asked, 200)}”` })),
    ...(named.length < open.length ? [phrases.partOpen] : []),
  ];
};

const MAX_RELATED = 3;

/** Articles to read on about what is open, except those that are cited. */
const relatedTo = (passages: readonly ShownPassage[], cited: readonly NavigatorSource[]): NavigatorAnswer['closest'] =>
  linksToPassages(passages.filter(({ source }) => !cited.some(({ file }) => file === source.id))).slice(0, MAX_RELATED);

/** The articles of passages, each once. */
export const linksToPassages = (passages: readonly ShownPassage[]): ClosestArticle[] => {
  const once = new Map(passages.map(({ source, headings }) => [source.id, { source, heading: headings[0] }]));
  return [...once.values()].map(({ source, heading }) => ({
    title: (source.title || source.id).slice(0, 500),
    file: source.id.slice(0, 500),
    ...(Link.safeParse(source.url).success ? { url: source.url } : {}),
    ...(heading === undefined ? {} : { heading: heading.slice(0, 500) }),
  }));
};

/** The dates of articles that are old beside the others that were shown, by id. */
const oldDates = ({ passages, now }: Pick<ModelAnswerParts, 'passages' | 'now'>): ReadonlyMap<string, string> => {
  const others = passages.flatMap(({ updated }) => updated ?? []);
  return new Map(
    passages.flatMap(({ source, updated }) =>
      updated !== undefined && ageOf(updated, { now, others })?.isOld ? [[source.id, updated.slice(0, 10)]] : [],
    ),
  );
};

interface ComposeOptions {
  isHedged: boolean;
  otherThan: readonly string[];
  /** Sentences on what is not answered. */
  open: readonly string[];
  dates: ReadonlyMap<string, string>;
  phrases: AnswerPhrases;
}

/** A paragraph of an answer, a list, a table or a block of code with what leads to it. */
interface Paragraph {
  text: string;
  cited: readonly Cited[];
  /** The sections and the articles that it is from. */
  sections: string;
  articles: string;
  isBlock: boolean;
}

/** Statements as Markdown. Prose from the same sections is one paragraph; paragraphs from the same articles share one reference at their end. */
const compose = (
  statements: readonly CheckedStatement<ShownPassage>[],
  { isHedged, otherThan, open, dates, phrases }: ComposeOptions,
): string => {
  const paragraphs: Paragraph[] = [];
  for (const statement of statements) {
    const { text } = statement;
    const cited = citedOf([statement]);
    const sections = keyOf(cited, ({ chunk }) => `${chunk.source.id}\n${sectionOf(chunk, chunk.source)}`);
    const articles = keyOf(cited, ({ chunk }) => chunk.source.id);
    const isBlock = splitBlocks(text).some(({ kind }) => kind !== 'prose');
    const last = paragraphs.at(-1);
    // What leads to a list stands directly above it.
    const isLed = last?.text.endsWith(':') === true && last.sections === sections;
    if (isLed) Object.assign(last, { text: `${last.text}\n\n${text}`, cited: [...last.cited, ...cited], isBlock });
    else if (!isBlock && last && !last.isBlock && last.sections === sections)
      Object.assign(last, { text: `${last.text} ${text}`, cited: [...last.cited, ...cited] });
    else paragraphs.push({ text, cited, sections, articles, isBlock });
  }
  let run: Cited[] = [];
  const parts = paragraphs.map(({ text, cited, articles }, at) => {
    run.push(...cited);
    if (paragraphs[at + 1]?.articles === articles) return text;
    const reference = `(${referenceTo(run, { dates, phrases })})`;
    run = [];
    return isBlockText(text) ? `${text}\n\n${reference}` : `${text} ${reference}`;
  });
  const opening = otherThan.length > 0 ? otherDevices(otherThan, phrases) : isHedged ? phrases.hedge : '';
  return escapeHtml([opening, ...parts, ...open].filter((part) => part !== '').join('\n\n'));
};

const keyOf = (cited: readonly Cited[], of: (cited: Cited) => string): string =>
  [...new Set(cited.map(of))].join('\n\n');

/** Articles that a reference names; the statements have all. */
const MAX_NAMED = 3;

const isBlockText = (text: string): boolean => splitBlocks(text).at(-1)?.kind !== 'prose';

/** Each article once, with its date where it is old, and the first sections of it. */
const referenceTo = (
  cited: readonly Cited[],
  { dates, phrases }: Pick<ComposeOptions, 'dates' | 'phrases'>,
): string => {
  const articles = Map.groupBy(cited, ({ chunk }) => chunk.source);
  const citations = [...articles].slice(0, MAX_NAMED).map(([source, places]) => {
    const day = dates.get(source.id);
    const citation = linkedCitationOf(
      source,
      places.map(({ chunk }) => chunk),
    );
    return day === undefined ? citation : `${citation}, ${filled(phrases.asOf, { day })}`;
  });
  return citations.join('; ');
};
