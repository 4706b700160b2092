import type { ModelStatement, Passage, ReplyPart } from '../model/answer-prompt.ts';
import type { ModelCalls } from '../model/model-calls.ts';
import { type JudgedStatement, judgeStatements } from './judge-statements.ts';
import type { PlacedQuote } from './quote-evidence.ts';
import { type Draft, draftOf, keepSteps, outcomeOf } from './statement-drafts.ts';

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
        if (!isTicket) keepSteps(batch, { drafts, question, passages });
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
      const draft = draftOf(statement, { question, passages, parts, earlier: drafts, isTicket });
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
