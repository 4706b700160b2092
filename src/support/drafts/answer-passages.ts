import { hasPromptInjection, isInjectionName } from '../../answering/model/prompt-injection.ts';
import { overlaps, type RankedUnit, spansOf } from '../../answering/passages/find-answer.ts';
import { withNamedRows } from '../../answering/passages/units.ts';
import { RETRIEVAL_MIN_SCORE } from '../../contract/wire/knowledge.ts';
import type { AlreadyTried } from '../message/already-tried.ts';
import { phrasesOf } from '../message/languages.ts';
import type { Evidence } from '../retrieval/knowledge.ts';
import { type Warning, warningFor } from './check-model-draft.ts';
import { type AnswerPassage, type QuoteOptions, quotePassage, textOf } from './quote-passage.ts';
import { type DeviceFilter, deviceFilter, hasCode, type TicketUnits } from './ticket-units.ts';

/** The passages that a draft may quote. */
export interface Answer {
  /** Best first; empty when no source is sure enough to answer. */
  passages: readonly AnswerPassage[];
  /** A warning about the customer's case; it is quoted whatever else answers. */
  warning?: AnswerPassage | undefined;
  /** A passage with a prompt injection was omitted. */
  hasPromptInjection: boolean;
}

interface AnswerOptions {
  /** The customer's product; undefined when none is named. */
  product: string | undefined;
  /** False when several products share the name. */
  isProductExact: boolean;
  alreadyTried: AlreadyTried;
}

/** Share of the best unit's probability that the first passage needs: the best ones may have been tried or be for other devices. */
const FIRST_SHARE = 0.1;
/**
 * Share of the first passage's probability that a second one needs; as small as in an answer, as what is needed is often the second best of
 * its article. Of 118 quotes for the questions of `research/eval/answer-questions`, 30 hold no needed fact; with 0.55, 40.
 */
const SECOND_SHARE = 0.05;
const MAX_PASSAGES = 2;
/** Visible characters of all passages together; a single procedure may be longer. */
const MAX_SIZE = 1100;

/**
 * Picks the passages that answer a ticket from the articles that are sure enough: whole sections, complete procedures, tables with their
 * head. Sections about other devices and steps that were already tried are omitted.
 */
export function answerPassages(evidence: Evidence, found: TicketUnits, options: AnswerOptions): Answer {
  const candidates = sureUnits(found);
  const warning = warningFor(evidence, found);
  if (candidates.length === 0) return { passages: [], warning: warning?.passage, hasPromptInjection: false };
  const { done } = phrasesOf(evidence.language ?? '');
  const quoting = { done, alreadyTried: options.alreadyTried };
  const isForDevice = deviceFilter({ ...options, devices: evidence.edition.devices() });
  const picked = pickPassages(candidates, { quoting, isForDevice, warnedBy: warning?.article });
  const passages = inArticleOrder(picked.passages, quoting);
  const isQuoted = passages.some(
    ({ markdown }) => warning !== undefined && markdown.includes(warning.passage.markdown),
  );
  return {
    passages: warning === undefined || isQuoted ? passages : [warning.passage, ...passages],
    warning: warning?.passage,
    hasPromptInjection: picked.hasPromptInjection,
  };
}

/** Units of articles that answer, with the rows that the message names; when some of them contain a code of the message, only these. */
const sureUnits = ({ question, units, relevance, codes }: TicketUnits): readonly RankedUnit[] => {
  const sure = units.filter(({ source }) => (relevance.get(source.index) ?? 0) >= RETRIEVAL_MIN_SCORE);
  const withCode = sure.filter(({ unit }) => hasCode(unit, codes));
  return (withCode.length > 0 ? withCode : sure).map((each) => ({ ...each, unit: withNamedRows(each.unit, question) }));
};

interface PickedPassage {
  ranked: RankedUnit;
  passage: AnswerPassage;
}

const pickPassages = (
  candidates: readonly RankedUnit[],
  { quoting, isForDevice, warnedBy }: { quoting: QuoteOptions; isForDevice: DeviceFilter; warnedBy: Warned },
): { passages: PickedPassage[]; hasPromptInjection: boolean } => {
  const passages: PickedPassage[] = [];
  let isScreened = false;
  let size = 0;
  for (const each of candidates) {
    const [first] = passages;
    const least = first === undefined ? FIRST_SHARE * (candidates[0]?.share ?? 0) : SECOND_SHARE * first.ranked.share;
    if (each.share < least || passages.length === MAX_PASSAGES) break;
    if (first !== undefined && (size + each.unit.size > MAX_SIZE || isSamePlace(first.ranked, each))) continue;
    if (!isQuotable(each, { isForDevice, warnedBy })) continue;
    if (isInjected(each)) {
      isScreened = true;
      continue;
    }
    const passage = quotePassage(each, quoting);
    if (passage === undefined) continue;
    passages.push({ ranked: each, passage });
    size += each.unit.size;
  }
  return { passages, hasPromptInjection: isScreened };
};

/** Passages of one article in its order; passages of several articles with the titles of their articles. */
const inArticleOrder = (picked: readonly PickedPassage[], quoting: QuoteOptions): AnswerPassage[] => {
  const ordered = picked.toSorted(({ ranked: one }, { ranked: other }) =>
    one.source.index === other.source.index ? placeOf(one) - placeOf(other) : 0,
  );
  const hasSeveralArticles = new Set(ordered.map(({ ranked: { source } }) => source.index)).size > 1;
  return ordered.map(
    ({ ranked, passage }) =>
      (hasSeveralArticles ? quotePassage(ranked, { ...quoting, isTitled: true }) : undefined) ?? passage,
  );
};

const isSamePlace = (one: RankedUnit, other: RankedUnit): boolean =>
  one.source.index === other.source.index && overlaps(spansOf(one.unit), spansOf(other.unit));

const placeOf = ({ unit }: RankedUnit): number => spansOf(unit)[0]?.[0] ?? 0;

/** Place of the article in the edition that warns of the customer's case. */
type Warned = Warning['article'] | undefined;

/** A procedure that is cut off may do harm, and so may one when another article warns of the customer's case. */
const isQuotable = (
  { unit, source }: RankedUnit,
  { isForDevice, warnedBy }: { isForDevice: DeviceFilter; warnedBy: Warned },
): boolean => {
  const isProcedure = unit.parts.some(({ pieces }) => pieces.some(({ isStep }) => isStep));
  const isWarnedOf = warnedBy !== undefined && warnedBy !== source.index;
  if (isProcedure && (isWarnedOf || unit.isCut)) return false;
  return unit.parts.every(({ section: { path } }) => isForDevice({ path, source }));
};

const isInjected = ({ unit, source }: RankedUnit): boolean =>
  [source.id, source.title].some(isInjectionName) ||
  unit.parts.some((part) => hasPromptInjection([part.section.path.at(-1) ?? '', textOf(part)].join('\n')));
