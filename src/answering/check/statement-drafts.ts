import { type Block, parseBlocks } from '../../documents/markdown/blocks.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import { limitsOrDenies, qualifiersOf } from '../../language/qualifiers.ts';
import { isUnspaced, type WrittenWord, writtenWords } from '../../language/spaced-words.ts';
import type { ModelStatement, Passage, ReplyPart } from '../model/answer-prompt.ts';
import type { CallFailure } from '../model/model-calls.ts';
import {
  checkModelStatement,
  type ModelStatementCheck,
  withoutVetoed,
} from './check-model-statement.ts';
import type { Judgement } from './judge-statements.ts';
import { overlap, type PlacedQuote, placeQuotes, quotedBlocks } from './quote-evidence.ts';

/** A statement on its way into the answer. */
export interface Draft<P extends Passage> {
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

export function draftOf<P extends Passage>(
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
    /** The statements before it. */
    earlier: readonly Draft<P>[];
    isTicket: boolean;
  },
): Draft<P> {
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
  const isFresh = !quotes.some((quote) => earlier.some((other) => hasQuote(other, quote)));
  const quoted = isFresh && !isTicket ? asQuoted(draft, check.veto, context) : undefined;
  return quoted === undefined
    ? { ...draft, outcome: { reason: check.veto } }
    : { ...draft, ...quoted };
}

/** A statement as the article has it; undefined when that is long, in another language, or must not go out either. */
const asQuoted = <P extends Passage>(
  { statement, quotes }: Pick<Draft<P>, 'statement' | 'quotes'>,
  veto: string,
  context: { question: string; passages: readonly P[] },
): Pick<Draft<P>, 'text' | 'veto' | 'check'> | undefined => {
  const text = quotedFor(quotes, context)?.join('\n\n') ?? '';
  const languages = [statement.text, text].flatMap((each) => detectLanguage(each) ?? []);
  if (text === '' || text.length > MAX_QUOTED || new Set(languages).size > 1) return undefined;
  return { text, veto, check: checkModelStatement(text, quotes, context) };
};

/**
 * A procedure loses no step: one that the judge refuses beside others of its list that stay, and a list of which the judge keeps fewer steps,
 * are shown as the article has them.
 */
export function keepSteps<P extends Passage>(
  batch: readonly Draft<P>[],
  { drafts, ...context }: { drafts: readonly Draft<P>[]; question: string; passages: readonly P[] },
): void {
  const shown = drafts.filter(({ outcome }) => outcome !== undefined && 'text' in outcome);
  for (const draft of batch) {
    const { outcome, quotes, veto } = draft;
    if (veto !== undefined || outcome === undefined || 'quoted' in outcome) continue;
    const isAny = (is: typeof hasQuote): boolean =>
      quotes.some((quote) => shown.some((other) => is(other, quote)));
    const isLost =
      'text' in outcome
        ? stepsIn(outcome.text) < stepsIn(draft.text)
        : isAny(sharesList) && !isAny(hasQuote);
    const reason = 'text' in outcome ? STEP_LOST : outcome.reason;
    const quoted = isLost ? asQuoted(draft, reason, context) : undefined;
    if (quoted !== undefined)
      Object.assign(draft, quoted, { outcome: { text: quoted.text, isJudged: true } });
  }
}

const STEP_LOST = 'the judge keeps fewer of its steps';

/** Whether a block of a text is a numbered list. */
export function isProcedure(text: string, { kind, start }: Block): boolean {
  return kind === 'list' && /^\s*\d/.test(text.slice(start));
}

const stepsIn = (text: string): number =>
  parseBlocks(text).reduce(
    (sum, block) => sum + (isProcedure(text, block) ? block.items.length : 0),
    0,
  );

const hasQuote = ({ quotes }: Draft<Passage>, { passage, span }: PlacedQuote): boolean =>
  quotes.some((other) => other.passage === passage && overlap(other.span, span));

/** Whether a statement quotes another step of the procedure of a quote. */
const sharesList = (draft: Draft<Passage>, { passage, span }: PlacedQuote): boolean =>
  parseBlocks(passage.text).some(
    (block) =>
      isProcedure(passage.text, block) &&
      overlap(block, span) &&
      hasQuote(draft, { passage, span: block }),
  );

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

export function outcomeOf<P extends Passage>(
  { text, quotes, check }: Draft<P>,
  judgement: Judgement | CallFailure | 'malformed' | undefined,
  context: { question: string; passages: readonly P[] },
): NonNullable<Draft<P>['outcome']> {
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
}

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
