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
  readStatements,
} from './answer-prompt.ts';
import {
  checkStatement,
  compareSentence,
  type Evidence,
  isConnecting,
  prepareEvidence,
  type StatementCheck,
} from './check-statement.ts';
import { type CallFailure, type JudgedPair, type Judgement, judgeStatements, type ModelCalls } from './model-calls.ts';
import { hasPromptInjection, isInjectionName } from './prompt-injection.ts';
import { evidenceOfPassage, evidenceOfQuote, type PlacedQuote, placeQuotes } from './quote-evidence.ts';
import { plainOf } from './statement-words.ts';

/** A statement that passed the check. */
export interface CheckedStatement<P extends Passage = Passage> {
  text: string;
  /** Its evidence: its quotes, or those of the statement that it introduces; empty for a transition. */
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

export interface AnswerOptions<P extends Passage = Passage> {
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
  /**
   * Gets each statement as soon as it is checked, while the model still writes. The judge is then asked for each doubtful statement by
   * itself, and what has been passed on is no part of the answer when that fails as a whole.
   */
  onStatement?: ((statement: CheckedStatement<P>) => void) | undefined;
  onRemoved?: ((removed: RemovedStatement) => void) | undefined;
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
  {
    calls,
    maxTokens = MAX_TOKENS,
    isScreened = false,
    isJudgeRequired = false,
    onStatement,
    onRemoved,
  }: AnswerOptions<P>,
): Promise<CheckedAnswer<P> | { failure: AnswerFailure; removed: RemovedStatement[] }> => {
  const passages = isScreened ? request.passages : request.passages.filter(isReadable);
  if (passages.length === 0) return { failure: 'no_answer', removed: [] };
  const statements: CheckedStatement<P>[] = [];
  const removed: RemovedStatement[] = [];
  const removedQuotes: PlacedQuote<P>[] = [];
  const replaced = new Set<CheckedStatement<P>>();
  const keep = (statement: CheckedStatement<P>): void => {
    statements.push(statement);
    onStatement?.(statement);
  };
  const checking = startChecking(
    { ...request, passages, calls, isJudgeRequired, isEach: onStatement !== undefined },
    (each) => {
      if ('kept' in each) return keep(each.kept);
      removed.push(each.removed);
      onRemoved?.(each.removed);
      removedQuotes.push(...each.quotes);
      if (each.instead === undefined) return;
      replaced.add(each.instead);
      keep(each.instead);
    },
  );
  const reading = onStatement && readStatements((statement) => checking.add(statement));
  const result = await calls.ask(answerPrompt({ ...request, passages }), {
    maxTokens,
    schema: answerSchema(passages),
    onText: reading,
  });
  const reply = result.ok ? readAnswerReply(result.text) : result.failure;
  const failure =
    typeof reply === 'string'
      ? reply
      : reply.verdict === 'no_information'
        ? 'no_answer'
        : reply.statements.length === 0
          ? 'empty'
          : undefined;
  if (typeof reply === 'string' || failure !== undefined) {
    checking.stop();
    return { failure: failure ?? 'malformed', removed: [] };
  }
  for (const statement of reply.statements.slice(checking.count())) checking.add(statement);
  await checking.end();
  // Quotes alone are no answer: the whole passages serve the reader better.
  if (!statements.some((each) => each.quotes.length > 0 && !replaced.has(each)))
    return { failure: 'unsupported', removed };
  return { statements, removed, removedQuotes, confidence: reply.confidence };
};

/** Whether a passage is free of prompt injections. */
const isReadable = ({ title, headings, text }: Passage): boolean =>
  ![title, ...headings].some(isInjectionName) && !hasPromptInjection(text);

/**
 * Decides the statements of a reply in order, each as soon as it can be: by its words at once, or by the judge, who is asked once for all
 * doubtful ones, or for each as it comes (`isEach`), which costs more calls and saves the wait for the end of the reply.
 */
const startChecking = <P extends Passage>(
  { isEach, calls, ...options }: CheckOptions<P> & { calls: ModelCalls; isEach: boolean },
  onResult: (result: StatementResult<P>) => void,
) => {
  const { question, isJudgeRequired } = options;
  const judge = (drafts: readonly Draft<P>[]): Promise<Judged> =>
    judgeStatements(drafts.map(pairOf), { question, calls }).catch(() => 'malformed' as const);
  const decisions = startDecisions(onResult);
  let isStopped = false;
  let count = 0;
  /** Statements without a quote, which share the check of the next one with a quote. */
  let leads: ModelStatement[] = [];
  const drafts: Draft<P>[] = [];
  let deciding = Promise.resolve();
  const decideNext = (draft: Draft<P>, judged?: Promise<Judged>, at = 0): void => {
    deciding = deciding.then(async () => {
      const outcome = outcomeOf(draft, { judged: await judged, at, isJudgeRequired });
      if (!isStopped) decisions.add(draft, outcome);
    });
  };
  const take = (statement: ModelStatement, next?: ModelStatement): void => {
    for (const draft of draftsOf(statement, { ...options, next })) {
      if (!isEach) drafts.push(draft);
      else decideNext(draft, isJudged(draft.check) ? judge([draft]) : undefined);
    }
  };
  return {
    /** Statements so far. */
    count: () => count,
    add: (statement: ModelStatement): void => {
      count += 1;
      if (statement.quotes.length === 0) {
        leads.push(statement);
        return;
      }
      for (const lead of leads) take(lead, statement);
      leads = [];
      take(statement);
    },
    /** Resolves when all are decided. */
    end: async (): Promise<void> => {
      for (const lead of leads) take(lead);
      const doubtful = drafts.filter(({ check }) => isJudged(check));
      const judging = doubtful.length === 0 ? undefined : judge(doubtful);
      for (const draft of drafts) decideNext(draft, judging, doubtful.indexOf(draft));
      await deciding;
      decisions.end();
    },
    /** Decides nothing more. */
    stop: (): void => {
      isStopped = true;
    },
  };
};

/** Passes on the results in order; sentences that introduce a statement share its fate. */
const startDecisions = <P extends Passage>(onResult: (result: StatementResult<P>) => void) => {
  let waiting: { lead: Draft<P>; isJudged: boolean }[] = [];
  let isAfterRemoved = false;
  const quoted = new Set<string>();
  return {
    add: (draft: Draft<P>, outcome: Outcome): void => {
      if ((draft.isConnecting || draft.text.endsWith(':')) && outcome.isKept) {
        waiting.push({ lead: draft, isJudged: outcome.isJudged });
        return;
      }
      const isCutOff = draft.continues && isAfterRemoved && BACK_REFERENCE.test(draft.text);
      if (outcome.isKept && !isCutOff) {
        for (const { lead, isJudged: isLeadJudged } of waiting)
          onResult({ kept: keptOf(lead, { isJudged: isLeadJudged }) });
        onResult({ kept: keptOf(draft, outcome) });
        isAfterRemoved = false;
      } else {
        const reason = isCutOff && outcome.isKept ? 'it refers to a sentence that was removed' : outcome.reason;
        const instead = outcome.isJudged ? quotesOf(draft, quoted) : undefined;
        for (const { lead, isJudged: isLeadJudged } of waiting) {
          if (instead !== undefined) onResult({ kept: keptOf(lead, { isJudged: isLeadJudged }) });
          else if (!lead.isConnecting)
            onResult({ removed: { text: lead.text, reason: LEADS_NOWHERE }, quotes: lead.quotes });
        }
        onResult({ removed: { text: draft.text, reason }, quotes: draft.quotes, instead });
        isAfterRemoved = instead === undefined;
      }
      waiting = [];
    },
    /** What is left introduces nothing. */
    end: (): void => {
      for (const { lead } of waiting) {
        if (!lead.isConnecting) onResult({ removed: { text: lead.text, reason: LEADS_NOWHERE }, quotes: lead.quotes });
      }
    },
  };
};

type Judged = Awaited<ReturnType<typeof judgeStatements>>;

interface Outcome {
  isKept: boolean;
  reason: string;
  isJudged: boolean;
}

const outcomeOf = (
  draft: Pick<Draft<Passage>, 'check'>,
  options: { judged: Judged | undefined; at: number; isJudgeRequired: boolean },
): Outcome =>
  isJudged(draft.check)
    ? judgedOutcome(draft, options)
    : { isKept: draft.check.verdict === 'supported', reason: draft.check.reason, isJudged: false };
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
    const placed = lead === undefined ? quotes : placeQuotes(lead, passages);
    const own = lead === undefined ? evidence : evidenceOf(placed);
    const sections = lead === undefined ? named : namedBy(lead);
    const check = checkOf(text, {
      evidence: own,
      hasQuote: placed.length > 0,
      isQuoted: statement.quotes.length > 0,
      sections,
      titles: passages.map(({ title }) => title),
      question,
      isLead,
      isJudgeRequired,
    });
    return {
      text,
      quotes: isLead ? quotes : placed,
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
    isQuoted,
    sections,
    titles,
    question,
    isLead,
    isJudgeRequired,
  }: {
    evidence: readonly Evidence[];
    /** A quote of it, or of the statement that it introduces, stands in its passage. */
    hasQuote: boolean;
    /** It has quotes of its own. */
    isQuoted: boolean;
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
  if (sections.length === 0 && !isLead)
    return { ...check, verdict: 'unsupported', reason: 'it names no passage that was shown' };
  const isWordless = isLiteralOrEmpty(text, evidence);
  // The judge may be misled by the same passages as the writer: its word alone keeps nothing.
  const saysNothing = isLead && isWordless;
  if (!hasQuote && !saysNothing)
    return { ...check, verdict: 'unsupported', reason: 'no quote of it stands in a passage' };
  if (!isQuoted && check.verdict !== 'supported' && !saysNothing)
    return {
      ...check,
      verdict: 'unsupported',
      reason: 'it has no quote, and says more than the next statement quotes',
    };
  if (isJudgeRequired && isConnecting(text) && !isWordless)
    return { ...check, verdict: 'doubtful', reason: 'it leads over with words of its own' };
  if (isLead) return check;
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
  { judged, at, isJudgeRequired }: { judged: Judged | undefined; at: number; isJudgeRequired: boolean },
): Outcome => {
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
  quotes,
  probability: isJudged ? JUDGED_PROBABILITY : check.probability,
});

const uniqueBy = <T>(items: readonly T[], keyOf: (item: T) => string): T[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];
