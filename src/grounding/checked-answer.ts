import { splitBlocks } from '../markup/split-blocks.ts';
import { detectLanguage } from '../text/detect-language.ts';
import { type Span, splitSentences } from '../text/split-sentences.ts';
import {
  type AnswerReply,
  type AnswerRequest,
  answerPrompt,
  answerSchema,
  type ModelStatement,
  type Passage,
  readAnswerReply,
} from './answer-prompt.ts';
import { checkStatement, isConnecting, type StatementCheck } from './check-statement.ts';
import { compareSentence, type Evidence, prepareEvidence } from './compare-statement.ts';
import { type JudgedPair, type Judgement, judgeStatements } from './judge.ts';
import type { CallFailure, ModelCalls } from './model-calls.ts';
import { hasPromptInjection, isInjectionName } from './prompt-injection.ts';
import { closestQuote, evidenceOfPassage, evidenceOfQuote, type PlacedQuote, placeQuotes } from './quote-evidence.ts';
import { plainOf } from './statement-words.ts';

/** A statement that passed the check. */
export interface CheckedStatement<P extends Passage = Passage> {
  text: string;
  /** Its evidence: its quotes, else the closest sentences of the passages that it names; empty for a transition. */
  quotes: readonly PlacedQuote<P>[];
  /** Passages that it names, whether or not a quote was found in them. */
  passages: readonly P[];
  /** Probability that its evidence states it, by words or by the judge, 0 to 1. */
  probability: number;
  isJudged: boolean;
  /** It continues the paragraph of the previous statement. */
  continues: boolean;
}

/** A statement that was removed, and why. */
export interface RemovedStatement {
  text: string;
  reason: string;
}

type StatementResult<P extends Passage = Passage> =
  | { kept: CheckedStatement<P> }
  /** `instead`: the quoted words of the passages, when they can replace the statement. */
  | { removed: RemovedStatement; quotes: readonly PlacedQuote<P>[]; instead?: CheckedStatement<P> | undefined };

/** Why a model gave no answer. */
export type AnswerFailure = CallFailure | 'empty' | 'malformed' | 'no_answer' | 'unsupported';

export interface CheckedAnswer<P extends Passage = Passage> {
  statements: CheckedStatement<P>[];
  removed: RemovedStatement[];
  /** Quotes of the removed statements. */
  removedQuotes: PlacedQuote<P>[];
  /** As stated by the model. */
  confidence: AnswerReply['confidence'];
}

export interface AnswerOptions {
  calls: ModelCalls;
  /** Token limit of the reply, including quotes. */
  maxTokens?: number | undefined;
  /** Prompt injections are already removed from the passages; otherwise passages with one are dropped. */
  isScreened?: boolean | undefined;
  /**
   * For text that is sent in a person's name: only literal quotes pass without the judge. Transitions are judged as well, since they may
   * contain a promise.
   */
  isJudgeRequired?: boolean | undefined;
}

const MAX_TOKENS = 2400;
/** Everything except literal quotes is judged as well; without a judge, statements that are supported by words alone pass. */
const JUDGED_BELOW = 0.95;
/** Probability of a statement that the judge accepts. */
const JUDGED_PROBABILITY = 0.9;

/**
 * Has a model answer from passages, and keeps the statements that the passages support. Never throws.
 *
 * @returns The statements that passed, or the reason why none did; the removed ones in both cases.
 */
export const writeCheckedAnswer = async <P extends Passage>(
  request: Omit<AnswerRequest, 'passages'> & { passages: readonly P[] },
  { calls, maxTokens = MAX_TOKENS, isScreened = false, isJudgeRequired = false }: AnswerOptions,
): Promise<CheckedAnswer<P> | { failure: AnswerFailure; removed: RemovedStatement[] }> => {
  const passages = isScreened ? request.passages : request.passages.filter(isReadable);
  if (passages.length === 0) return { failure: 'no_answer', removed: [] };
  const result = await calls.ask(answerPrompt({ ...request, passages }), { maxTokens, schema: answerSchema(passages) });
  if (!result.ok) return { failure: result.failure, removed: [] };
  const reply = readAnswerReply(result.text);
  if (typeof reply === 'string') return { failure: reply, removed: [] };
  if (reply.verdict === 'no_information') return { failure: 'no_answer', removed: [] };
  if (reply.statements.length === 0) return { failure: 'empty', removed: [] };
  const statements: CheckedStatement<P>[] = [];
  const removed: RemovedStatement[] = [];
  const removedQuotes: PlacedQuote<P>[] = [];
  const replaced = new Set<CheckedStatement<P>>();
  for await (const each of checkedStatements(reply.statements, { ...request, passages, calls, isJudgeRequired })) {
    if ('kept' in each) statements.push(each.kept);
    else {
      removed.push(each.removed);
      removedQuotes.push(...each.quotes);
      if (each.instead !== undefined) {
        statements.push(each.instead);
        replaced.add(each.instead);
      }
    }
  }
  // Quotes alone are no answer: the whole passages serve the reader better.
  if (!statements.some((each) => each.quotes.length > 0 && !replaced.has(each)))
    return { failure: 'unsupported', removed };
  return { statements, removed, removedQuotes, confidence: reply.confidence };
};

/** Whether a passage is free of prompt injections. */
const isReadable = ({ title, headings, text }: Passage): boolean =>
  ![title, ...headings].some(isInjectionName) && !hasPromptInjection(text);

/**
 * Yields the statements of a reply in order, each as soon as it is decided: by its words at once, or by a single call of the judge for
 * all doubtful ones.
 */
async function* checkedStatements<P extends Passage>(
  statements: readonly ModelStatement[],
  { question, passages, calls, isJudgeRequired }: CheckOptions<P> & { calls: ModelCalls },
): AsyncGenerator<StatementResult<P>> {
  const drafts = statements.flatMap((statement, at) => {
    const next = statements.slice(at + 1).find(({ quotes }) => quotes.length > 0);
    return draftsOf(statement, { question, passages, isJudgeRequired, next });
  });
  const doubtful = drafts.filter(({ check }) => isJudged(check));
  const judging =
    doubtful.length === 0
      ? undefined
      : judgeStatements(doubtful.map(pairOf), { question, calls }).catch(() => 'malformed' as const);
  /** Sentences that introduce the next statement, and share its fate. */
  let waiting: { lead: Draft<P>; isJudged: boolean }[] = [];
  let isAfterRemoved = false;
  const quoted = new Set<string>();
  for (const draft of drafts) {
    const outcome = isJudged(draft.check)
      ? judgedOutcome(draft, { judged: await judging, at: doubtful.indexOf(draft), isJudgeRequired })
      : { isKept: draft.check.verdict === 'supported', reason: draft.check.reason, isJudged: false };
    if ((draft.isConnecting || draft.text.endsWith(':')) && outcome.isKept) {
      waiting.push({ lead: draft, isJudged: outcome.isJudged });
      continue;
    }
    const isCutOff = draft.continues && isAfterRemoved && BACK_REFERENCE.test(draft.text);
    if (outcome.isKept && !isCutOff) {
      for (const { lead, isJudged: isLeadJudged } of waiting) yield { kept: keptOf(lead, { isJudged: isLeadJudged }) };
      yield { kept: keptOf(draft, outcome) };
      isAfterRemoved = false;
    } else {
      const reason = isCutOff && outcome.isKept ? 'it refers to a sentence that was removed' : outcome.reason;
      const instead = outcome.isJudged ? quotesOf(draft, quoted) : undefined;
      for (const { lead, isJudged: isLeadJudged } of waiting) {
        if (instead !== undefined) yield { kept: keptOf(lead, { isJudged: isLeadJudged }) };
        else if (!lead.isConnecting) yield { removed: { text: lead.text, reason: LEADS_NOWHERE }, quotes: lead.quotes };
      }
      yield { removed: { text: draft.text, reason }, quotes: draft.quotes, instead };
      isAfterRemoved = instead === undefined;
    }
    waiting = [];
  }
  for (const { lead } of waiting) {
    if (!lead.isConnecting) yield { removed: { text: lead.text, reason: LEADS_NOWHERE }, quotes: lead.quotes };
  }
}

const LEADS_NOWHERE = 'nothing is left of what it introduces';

/** Maximum length of the quotes that replace a statement, in UTF-16 units. */
const MAX_INSTEAD = 900;
/**
 * The quoted words that replace a removed statement: a list that it quotes from its first item on, in one piece, since a procedure without
 * its steps is useless; or rows of one table, which stand alone with their header. Undefined for any other quote, which may have another
 * meaning out of its place, and for one in another language.
 */
const quotesOf = <P extends Passage>(draft: Draft<P>, quoted: Set<string>): CheckedStatement<P> | undefined => {
  const language = detectLanguage(draft.text);
  const isTranslated = draft.quotes.some(({ passage }) => (detectLanguage(passage.text) ?? language) !== language);
  const text = isTranslated ? undefined : (wholeListOf(draft) ?? rowsWithHeader(draft.quotes));
  if (text === undefined || quoted.has(text) || text.length > MAX_INSTEAD || HIDDEN_MARKUP.test(text)) return undefined;
  quoted.add(text);
  return { text, quotes: draft.quotes, passages: draft.passages, probability: 1, isJudged: false, continues: false };
};

/** The quoted items of one list: of a numbered one all from the first on. Undefined for items of several lists. */
const wholeListOf = ({ text: statement, quotes }: Draft<Passage>): string | undefined => {
  const [first] = quotes;
  const isList = splitBlocks(statement).some(({ kind }) => kind === 'list');
  if (first === undefined || !isList || quotes.some(({ passage }) => passage !== first.passage)) return undefined;
  const { text } = first.passage;
  const isQuoted = (item: Span) => quotes.some(({ span }) => span.start < item.end && item.start < span.end);
  const lists = splitBlocks(text)
    .filter(({ kind }) => kind === 'list')
    .map((list) => ({ ...list, shown: list.items.filter(isQuoted) }))
    .toSorted((one, other) => other.shown.length - one.shown.length);
  const [list, next] = lists;
  // A single item of another list is an aside; several are a procedure of their own.
  if (list === undefined || list.shown.length === 0 || (next !== undefined && next.shown.length > 1)) return undefined;
  const { shown } = list;
  const isNumbered = /^\s*\d/.test(text.slice(list.start));
  if (isNumbered && shown.some((item, at) => item !== list.items[at])) return undefined;
  return shown.map(({ start, end }) => text.slice(start, end).trimEnd()).join('\n');
};

/** The quoted rows of one table below its header; undefined for quotes that are anything else. */
const rowsWithHeader = (quotes: readonly PlacedQuote[]): string | undefined => {
  const [first] = quotes;
  if (first === undefined || quotes.some(({ passage }) => passage !== first.passage)) return undefined;
  const { text } = first.passage;
  const table = splitBlocks(text).find(
    ({ kind, start, end }) => kind === 'table' && quotes.every(({ span }) => start <= span.start && span.end <= end),
  );
  if (table === undefined) return undefined;
  const isQuoted = (row: Span) => quotes.some(({ span }) => span.start < row.end && row.start < span.end);
  const [head, ...rows] = table.items;
  const shown = rows.filter(isQuoted);
  if (head === undefined || shown.length === 0) return undefined;
  // Up to the first row: the header with the line of dashes below it.
  const header = text.slice(head.start, rows[0]?.start).trimEnd();
  return [header, ...shown.map(({ start, end }) => text.slice(start, end).trimEnd())].join('\n');
};

const isJudged = ({ verdict, probability }: StatementCheck): boolean =>
  verdict === 'doubtful' || (verdict === 'supported' && probability < JUDGED_BELOW);

/** A beginning that refers to the previous sentence. */
const BACK_REFERENCE = /^(?:it|its|this|that|these|those|they|them|then|otherwise|in (?:this|that) case)\b/i;

interface CheckOptions<P extends Passage = Passage> {
  question: string;
  passages: readonly P[];
  isJudgeRequired: boolean;
  /** The next statement with a quote; a transition must be supported by its quotes. */
  next?: ModelStatement | undefined;
}

/** A statement, or one of its sentences, before the check. */
interface Draft<P extends Passage> extends Pick<CheckedStatement<P>, 'text' | 'quotes' | 'passages' | 'continues'> {
  evidence: readonly Evidence[];
  /** The passages that it names. */
  sections: readonly P[];
  check: StatementCheck;
  isConnecting: boolean;
}

/** Splits prose into sentences, so that one unsupported sentence does not remove the others. */
const draftsOf = <P extends Passage>(
  statement: ModelStatement,
  { question, passages, isJudgeRequired, next }: CheckOptions<P>,
): Draft<P>[] => {
  const quotes = placeQuotes(statement, passages);
  const namedBy = ({ quotes: all }: ModelStatement) =>
    passages.filter(({ id }) => all.some(({ passage }) => passage === id));
  const named = namedBy(statement);
  const evidence = quotes.length > 0 ? evidenceOf(quotes) : named.map(evidenceOfPassage);
  return piecesOf(statement.text).map((text, at) => {
    const isLead = statement.quotes.length === 0 && isConnecting(text);
    // A statement without quotes introduces or sums up the next one.
    const lead = statement.quotes.length === 0 ? next : undefined;
    const own = lead === undefined ? evidence : evidenceOf(placeQuotes(lead, passages));
    const sections = lead === undefined ? named : namedBy(lead);
    const check = checkOf(text, {
      evidence: own,
      hasQuote: quotes.length > 0,
      sections,
      titles: passages.map(({ title }) => title),
      question,
      isLead,
      isJudgeRequired,
    });
    return {
      text,
      quotes,
      passages: isLead ? named : sections,
      continues: at > 0,
      evidence: own,
      sections,
      check,
      isConnecting: isLead,
    };
  });
};

const checkOf = (
  text: string,
  {
    evidence,
    hasQuote,
    sections,
    titles,
    question,
    isLead,
    isJudgeRequired,
  }: {
    evidence: readonly Evidence[];
    hasQuote: boolean;
    sections: readonly Passage[];
    /** Titles of all shown passages: naming their products needs no source. */
    titles: readonly string[];
    question: string;
    isLead: boolean;
    isJudgeRequired: boolean;
  },
): StatementCheck => {
  const check = checkStatement(text, evidence, { question });
  if (hasHiddenMarkup(text, evidence))
    return { ...check, verdict: 'unsupported', reason: 'it has an image or markup that a reader does not see' };
  if (hasPromptInjection(text))
    return { ...check, verdict: 'unsupported', reason: 'it speaks to a model, not to a reader' };
  if (isJudgeRequired && isConnecting(text) && (isLead || hasQuote) && !isLiteralOrEmpty(text, evidence))
    return { ...check, verdict: 'doubtful', reason: 'it leads over with words of its own' };
  if (isLead) return check;
  if (sections.length === 0) return { ...check, verdict: 'unsupported', reason: 'it names no passage that was shown' };
  if (!hasQuote && check.verdict === 'supported')
    return { ...check, verdict: 'doubtful', reason: 'no quote of it stands in a passage' };
  if (check.verdict !== 'unsupported') return check;
  // A statement may use more of its passage than it quotes.
  const known = [question, ...titles].join('\n');
  const whole = checkStatement(text, sections.map(evidenceOfPassage), { question: known });
  return whole.verdict === 'unsupported' ? check : { ...whole, verdict: 'doubtful', reason: check.reason };
};

/** HTML and images outside code. A placeholder (`<version>`) that the evidence contains is not markup. */
const hasHiddenMarkup = (text: string, evidence: readonly Evidence[]): boolean =>
  HIDDEN_MARKUP.test(
    text
      .replace(/(`{1,3})[^`]*\1/g, ' ')
      .replace(/<[\w .-]{1,40}>/g, (placeholder) =>
        evidence.some(({ text: source }) => source.includes(placeholder)) ? ' ' : placeholder,
      ),
  );
const HIDDEN_MARKUP = /!\[|<[a-z/!?]/i;

const piecesOf = (text: string): string[] => {
  const blocks = splitBlocks(text);
  if (blocks.some(({ kind }) => kind !== 'prose')) return [text];
  return splitSentences(text).map(({ start, end }) => text.slice(start, end));
};

const evidenceOf = (quotes: readonly PlacedQuote[]): Evidence[] =>
  uniqueBy(quotes.map(evidenceOfQuote), ({ text }) => text);

/** Whether a text has no content words ("Then:") or occurs literally in the evidence. */
const isLiteralOrEmpty = (text: string, evidence: readonly Evidence[]): boolean => {
  const prepared = prepareEvidence(evidence);
  return prepared.quotes.has(plainOf(text)) || compareSentence(text, prepared) === undefined;
};

const pairOf = ({ text, evidence, sections }: Draft<Passage>): JudgedPair => ({
  statement: text,
  // Without quotes, the section is the only evidence.
  quotes: evidence
    .filter(({ text: source }) => !sections.some((section) => section.text === source))
    .map(({ headings, text: source }) => ({ heading: [...new Set(headings)].join(' > '), text: source })),
  passages: sections,
});

const judgedOutcome = (
  { check }: Pick<Draft<Passage>, 'check'>,
  {
    judged,
    at,
    isJudgeRequired,
  }: { judged: Awaited<ReturnType<typeof judgeStatements>> | undefined; at: number; isJudgeRequired: boolean },
): { isKept: boolean; reason: string; isJudged: boolean } => {
  const judgement: Judgement | undefined = Array.isArray(judged) ? judged[at] : undefined;
  if (judgement === undefined) {
    const why = Array.isArray(judged) ? 'the judge gave no verdict' : `no judge (${judged ?? 'not asked'})`;
    const isKept = !isJudgeRequired && check.verdict === 'supported';
    return { isKept, isJudged: false, reason: [check.reason, why].filter((each) => each !== '').join('; ') };
  }
  return { isKept: judgement.isSupported, isJudged: true, reason: `the judge: ${judgement.reason}` };
};

const keptOf = <P extends Passage>(
  { text, quotes, passages, continues, check }: Draft<P>,
  { isJudged }: { isJudged: boolean },
): CheckedStatement<P> => ({
  ...{ text, passages, continues, isJudged },
  quotes: quotes.length > 0 ? quotes : passages.map((passage) => closestQuote(text, passage)),
  probability: isJudged ? JUDGED_PROBABILITY : check.probability,
});

const uniqueBy = <T>(items: readonly T[], keyOf: (item: T) => string): T[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];
