import { detectLanguage } from '../../language/detect-language.ts';
import { limitsOrDenies, qualifiersOf } from '../../language/qualifiers.ts';
import { isUnspaced, type WrittenWord, writtenWords } from '../../language/spaced-words.ts';
import type { ModelStatement, Passage, ReplyPart } from '../model/answer-prompt.ts';
import type { CallFailure, ModelCalls } from '../model/model-calls.ts';
import {
  checkModelStatement,
  type ModelStatementCheck,
  withoutVetoed,
} from './check-model-statement.ts';
import { type JudgedStatement, type Judgement, judgeStatements } from './judge-statements.ts';
import { overlap, type PlacedQuote, placeQuotes, quotedBlocks } from './quote-evidence.ts';

/** A statement that passed the check. */
export interface CheckedStatement<P extends Passage = Passage> {
  text: string;
  /** Number of the part of the question that it answers, from 1. */
  part: number;
  /** Its quotes that stand in their passages; at least one. */
  quotes: readonly PlacedQuote<P>[];
  /** Probability that its passages state it, 0 to 1. */
  probability: number;
  isJudged: boolean;
}

/** A statement that was removed, and why. */
export interface RemovedStatement {
  text: string;
  reason: string;
}

interface Draft<P extends Passage> {
  statement: ModelStatement;
  /** As it may go out: without sentences that must not, or what it quotes in its place. */
  text: string;
  /** Why what it quotes is in its place; undefined when the words are the model's. */
  veto?: string | undefined;
  quotes: readonly PlacedQuote<P>[];
  check: ModelStatementCheck;
  /** What goes out: a text of the statement, or what it quotes in its place, or nothing. */
  outcome:
    | { text: string; isJudged: boolean }
    | { quoted: readonly string[]; reason: string }
    | { reason: string }
    | undefined;
}

interface Results<P extends Passage> {
  onKept: (statement: CheckedStatement<P>) => void;
  onRemoved: (removed: RemovedStatement, quotes: readonly PlacedQuote<P>[]) => void;
  /** The quotes in place of a statement about a part stand in the answer already. */
  onRepeated: (part: number) => void;
}

/**
 * Decides on the statements of a reply, and passes the results on in order. All that no program can refuse is judged: in one call at the
 * end, or, while the model still writes, in a first call as soon as there is a statement and in another with what has come meanwhile.
 */
export function startChecking<P extends Passage>(
  {
    question,
    passages,
    calls,
    batches,
    isTicket,
  }: {
    question: string;
    passages: readonly P[];
    calls: ModelCalls;
    batches: number;
    isTicket: boolean;
  },
  results: Results<P>,
) {
  const drafts: Draft<P>[] = [];
  const ordered = inOrder(drafts, results, isTicket);
  let waiting: Draft<P>[] = [];
  let judging: Promise<void> | undefined;
  let asked = 0;
  let isStopped = false;
  let isJudged = true;
  let isMissingStated = false;
  const judgeWaiting = (missing?: JudgedStatement): void => {
    const batch = waiting;
    waiting = [];
    asked += 1;
    const statements = batch.map(
      ({ text, quotes, check }): JudgedStatement => ({ text, quotes, doubt: check.doubt }),
    );
    const all = missing === undefined ? statements : [...statements, missing];
    judging = judgeStatements(all, { question, calls })
      .catch(() => 'malformed' as const)
      .then((judged) => {
        judging = undefined;
        if (isStopped) return;
        for (const [at, draft] of batch.entries()) {
          draft.outcome = outcomeOf(draft, typeof judged === 'string' ? judged : judged[at], {
            question,
            passages,
          });
          isJudged &&=
            'text' in draft.outcome
              ? draft.outcome.isJudged
              : !('quoted' in draft.outcome) && typeof judged !== 'string';
        }
        if (missing !== undefined && typeof judged !== 'string')
          isMissingStated = judged[batch.length]?.verdict === 'stated';
        ordered.passOn();
        if (asked < batches - 1 && waiting.some(isOwn)) judgeWaiting();
      });
  };
  return {
    /** Statements so far. */
    count: () => drafts.length,
    add: (statement: ModelStatement, parts: readonly ReplyPart[]): void => {
      const earlier = drafts.flatMap(({ quotes }) => quotes);
      const draft = draftOf(statement, { question, passages, parts, earlier, isTicket });
      drafts.push(draft);
      if (draft.outcome === undefined) waiting.push(draft);
      else ordered.passOn();
      if (judging === undefined && waiting.some(isOwn) && asked < batches - 1) judgeWaiting();
    },
    /** Resolves when all are decided. */
    end: async (
      missing?: JudgedStatement,
    ): Promise<{ isJudged: boolean; isMissingStated: boolean }> => {
      while (judging !== undefined) await judging;
      if (!drafts.some(isOwn))
        for (const draft of waiting.splice(0)) draft.outcome = { reason: draft.veto ?? '' };
      if (waiting.length > 0) judgeWaiting(missing);
      while (judging !== undefined) await judging;
      ordered.end();
      return { isJudged, isMissingStated };
    },
    /** Decides nothing more. */
    stop: (): void => {
      isStopped = true;
    },
  };
}

/** Whether words of the model may go out or have. Quotes alone, in place of all of them, are chosen without a model. */
const isOwn = <P extends Passage>({ veto, outcome }: Draft<P>): boolean =>
  veto === undefined && (outcome === undefined || 'text' in outcome);

/**
 * Passes on what is decided, in order. What introduces a statement ("Then:") shares its fate. The first statement of a part answers it, and
 * the others explain: when the first is removed, they go too, as they would stand as an answer to what nothing says. Of a ticket they stay,
 * since an agent reads the draft.
 */
const inOrder = <P extends Passage>(
  drafts: readonly Draft<P>[],
  { onKept, onRemoved, onRepeated }: Results<P>,
  isTicket: boolean,
) => {
  let place = 0;
  let leads: Draft<P>[] = [];
  const shown = new Set<string>();
  /** The number of each part -> whether its first statement stays. */
  const hasOpening = new Map<number, boolean>();
  const remove = ({ statement, quotes }: Draft<P>, reason: string): void => {
    const isLead = isLeading(statement.text);
    if (!isLead && !isTicket && !hasOpening.has(statement.part))
      hasOpening.set(statement.part, false);
    onRemoved({ text: statement.text, reason }, quotes);
  };
  const keep = (draft: Draft<P>): void => {
    const { part } = draft.statement;
    if (hasOpening.get(part) === false) remove(draft, EXPLAINS_NOTHING);
    else {
      hasOpening.set(part, true);
      passOnOne(draft);
    }
  };
  const passOnOne = ({ statement, quotes, check, veto, outcome }: Draft<P>): void => {
    const { part } = statement;
    if (outcome === undefined) return;
    if ('text' in outcome) {
      const { text, isJudged } = outcome;
      if (veto !== undefined) onRemoved({ text: statement.text, reason: veto }, []);
      const probability = check.isLiteral
        ? 1
        : text === statement.text
          ? STATED_PROBABILITY
          : KEPT_PROBABILITY;
      onKept({ text, part, quotes, probability, isJudged });
    } else if ('quoted' in outcome) {
      onRemoved({ text: statement.text, reason: outcome.reason }, []);
      // Several statements may quote the same sentences.
      const fresh = [...new Set(outcome.quoted)].filter((block) => !shown.has(block));
      for (const block of fresh) shown.add(block);
      if (fresh.length === 0) onRepeated(part);
      else onKept({ text: fresh.join('\n\n'), part, quotes, probability: 1, isJudged: false });
    }
  };
  const dropLeads = (): void => {
    for (const lead of leads) remove(lead, LEADS_NOWHERE);
    leads = [];
  };
  return {
    passOn: (): void => {
      for (let draft = drafts[place]; draft?.outcome !== undefined; draft = drafts[++place]) {
        const text = 'text' in draft.outcome ? draft.outcome.text : '';
        if (!('text' in draft.outcome) && !('quoted' in draft.outcome)) {
          dropLeads();
          remove(draft, draft.outcome.reason);
        } else if (isLeading(text)) leads.push(draft);
        else {
          for (const lead of leads) keep(lead);
          leads = [];
          keep(draft);
        }
      }
    },
    end: dropLeads,
  };
};

/** "Then:" says nothing by itself. */
const isLeading = (text: string): boolean => /[:：]\s*$/.test(text);

const LEADS_NOWHERE = 'nothing is left of what it introduces';
const EXPLAINS_NOTHING = 'nothing is left of what it explains';
/** Probability of a statement that the judge finds in its passages, whole or without a part. */
const STATED_PROBABILITY = 0.95;
const KEPT_PROBABILITY = 0.9;

const draftOf = <P extends Passage>(
  statement: ModelStatement,
  {
    question,
    passages,
    parts,
    earlier,
    isTicket,
  }: {
    question: string;
    passages: readonly P[];
    parts: readonly ReplyPart[];
    /** Quotes of the statements before it. */
    earlier: readonly PlacedQuote<P>[];
    isTicket: boolean;
  },
): Draft<P> => {
  const quotes = uniqueQuotes(placeQuotes(statement, passages));
  const context = { question, passages };
  const check = checkModelStatement(statement.text, quotes, context);
  const draft = { statement, text: statement.text, quotes, check, outcome: undefined };
  if (parts[statement.part - 1]?.answered === 'no')
    return {
      ...draft,
      outcome: { reason: 'no passage answers this part, as the model itself says' },
    };
  if (check.veto === undefined) return draft;
  const rest = withoutVetoed(
    statement.text,
    (sentence) => checkModelStatement(sentence, quotes, context).veto !== undefined,
  );
  if (rest !== undefined && quotes.length > 0)
    return { ...draft, text: rest, check: checkModelStatement(rest, quotes, context) };
  // What the statements before it quote already stands in the answer.
  const isFresh = !quotes.some(({ passage, span }) =>
    earlier.some((other) => other.passage === passage && overlap(other.span, span)),
  );
  const quoted = isFresh && !isTicket ? (quotedFor(quotes, context)?.join('\n\n') ?? '') : '';
  const languages = [statement.text, quoted].flatMap((text) => detectLanguage(text) ?? []);
  if (quoted === '' || quoted.length > MAX_QUOTED || new Set(languages).size > 1)
    return { ...draft, outcome: { reason: check.veto } };
  return {
    ...draft,
    text: quoted,
    veto: check.veto,
    check: checkModelStatement(quoted, quotes, context),
  };
};

/** Longest quotes in place of a statement with a code, address or number that no passage has, in UTF-16 units. */
const MAX_QUOTED = 1000;

/** The sentences, items and rows that a statement quotes; undefined when they must not go out either. */
const quotedFor = <P extends Passage>(
  quotes: readonly PlacedQuote<P>[],
  context: { question: string; passages: readonly P[] },
): string[] | undefined => {
  const quoted = [...new Set(quotes.flatMap(quotedBlocks))];
  const isClean = checkModelStatement(quoted.join('\n\n'), quotes, context).veto === undefined;
  return quoted.length > 0 && isClean ? quoted : undefined;
};

const uniqueQuotes = <P extends Passage>(quotes: readonly PlacedQuote<P>[]): PlacedQuote<P>[] => [
  ...new Map(
    quotes.map((quote) => [`${quote.passage.id} ${quote.span.start} ${quote.span.end}`, quote]),
  ).values(),
];

const outcomeOf = <P extends Passage>(
  { text, quotes, check }: Draft<P>,
  judgement: Judgement | CallFailure | 'malformed' | undefined,
  context: { question: string; passages: readonly P[] },
): NonNullable<Draft<P>['outcome']> => {
  if (judgement === undefined || typeof judgement === 'string') {
    // Words alone let more than half of what is false pass; whole sentences and rows are what their article says.
    if (check.isLiteral) return { text, isJudged: false };
    const reason =
      judgement === undefined ? 'the judge gave no verdict' : `no judge (${judgement})`;
    const quoted = quotedFor(quotes, context);
    return quoted === undefined ? { reason } : { quoted, reason };
  }
  if (judgement.verdict === 'stated') return { text, isJudged: true };
  const reason = `the judge: ${judgement.finds === '' ? judgement.verdict : judgement.finds}`;
  if (judgement.verdict === 'not_stated' || !isPartOf(judgement.keep, text)) return { reason };
  const keep = judgement.keep.trim();
  return checkModelStatement(keep, quotes, context).veto === undefined
    ? { text: keep, isJudged: true }
    : { reason };
};

/** A few words that are dropped must not be what limits or denies the rest. */
const SHORT_RUN = 3;

/**
 * Whether a text consists of the words of another in their order with some dropped, and drops no "not" or "only" alone. Compares what is
 * written, each word once: `wordsOf` would give an identifier and its parts.
 */
const isPartOf = (part: string, whole: string): boolean => {
  const [kept, all] = [part, whole].map(writtenWords);
  if (kept === undefined || all === undefined || kept.length === 0 || kept.length >= all.length)
    return false;
  const language = detectLanguage(whole);
  if (isUnspaced(whole) && (language === undefined || qualifiersOf(language) === undefined))
    return false;
  let dropped: WrittenWord[] = [];
  let place = 0;
  for (const word of all) {
    const isNext = word.text.toLowerCase() === kept[place]?.text.toLowerCase();
    if (!isNext) dropped.push(word);
    else {
      if (!isHarmless(dropped, { whole, language })) return false;
      dropped = [];
      place += 1;
    }
  }
  return place === kept.length && isHarmless(dropped, { whole, language });
};

/**
 * Whether words of a text that are dropped neither limit nor deny what stays: by their meaning, or since they are
 * too many; in a script without spaces, whose words are not counted, since they are a clause of their own.
 */
const isHarmless = (
  words: readonly WrittenWord[],
  { whole, language }: { whole: string; language: string | undefined },
): boolean => {
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined) return true;
  const end = last.start + last.text.length;
  const run = whole.slice(first.start, end);
  if (!limitsOrDenies(run, language)) return true;
  if (!isUnspaced(run)) return words.length > SHORT_RUN;
  return CLAUSE_END.test(whole.slice(0, first.start)) && CLAUSE_START.test(whole.slice(end));
};
const CLAUSE_END = /(?:^|\p{P})\s*$/u;
const CLAUSE_START = /^\s*(?:\p{P}|$)/u;
