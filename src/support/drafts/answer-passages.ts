import { hasPromptInjection, isInjectionName } from '../../answering/model/prompt-injection.ts';
import { overlaps, type RankedUnit, spansOf } from '../../answering/passages/find-answer.ts';
import { withNamedRows } from '../../answering/passages/units.ts';
import { RETRIEVAL_MIN_SCORE } from '../../contract/wire/knowledge.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import type { AlreadyTried } from '../message/already-tried.ts';
import { phrasesOf, primaryOf } from '../message/languages.ts';
import type { Evidence } from '../retrieval/knowledge.ts';
import { type Warning, warningFor } from './check-model-draft.ts';
import { type AnswerPassage, type QuoteOptions, quotePassage, textOf } from './quote-passage.ts';
import { type DeviceFilter, deviceFilter, hasCode, type TicketUnits } from './ticket-units.ts';

/** What answers one of several questions of a message. */
export interface AnswerPart {
  /** The question, in the customer's words; empty for what stands before the questions. */
  words: string;
  /** Best first; empty when no source is sure enough to answer. */
  passages: readonly AnswerPassage[];
}

/** The passages that a draft may quote. */
export interface Answer {
  /** The questions that the message asks at once; absent for a single one. Their passages are those of the answer. */
  parts?: readonly AnswerPart[] | undefined;
  /** What may be a question, and has no answer of its own, in the customer's words; absent: nothing. */
  unclear?: readonly string[] | undefined;
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
  /** BCP 47; undefined when it cannot be detected. */
  language?: string | undefined;
}

/** Share of the best unit's probability that the first passage needs: the best ones may have been tried or be for other devices. */
const FIRST_SHARE = 0.1;
/** Share of the first passage's probability that a second one needs: what does not answer has to be deleted before a draft goes out. */
const SECOND_SHARE = 0.4;
const MAX_PASSAGES = 2;
/** Visible characters of all passages together; a single procedure may be longer. */
const MAX_SIZE = 1100;

/**
 * Picks the passages that answer a ticket from the articles that are sure enough: whole sections, complete procedures, tables with their
 * head. Sections about other devices and steps that were already tried are omitted.
 */
export function answerPassages(
  evidence: Evidence,
  found: TicketUnits,
  options: AnswerOptions,
): Answer {
  const isForeign = isOtherLanguage(options.language, evidence.language);
  const candidates = sureUnits(found).filter((each) => !isForeign || sharesWords(each, found));
  const warning = warningFor(evidence, found);
  if (candidates.length === 0)
    return { passages: [], warning: warning?.passage, hasPromptInjection: false };
  const { done } = phrasesOf(evidence.language ?? '');
  const devices = evidence.edition.devices();
  const narrowing = {
    question: found.question,
    product: options.isProductExact ? options.product?.toLowerCase() : undefined,
    devices: devices.map((device) => device.toLowerCase()),
  };
  const quoting = { done, alreadyTried: options.alreadyTried, narrowing };
  const isForDevice = deviceFilter({ ...options, devices });
  const picked = pickPassages(withoutIntroductions(candidates), {
    quoting,
    isForDevice,
    warnedBy: warning?.article,
  });
  const passages = withTitles(picked.passages, quoting);
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
  const sure = units.filter(
    ({ source }) => (relevance.get(source.index) ?? 0) >= RETRIEVAL_MIN_SCORE,
  );
  const withCode = sure.filter(({ unit }) => hasCode(unit, codes));
  return (withCode.length > 0 ? withCode : sure).map((each) => ({
    ...each,
    unit: withNamedRows(each.unit, question),
  }));
};

const isOtherLanguage = (own: string | undefined, articles: string | undefined): boolean =>
  own !== undefined && articles !== undefined && primaryOf(own) !== primaryOf(articles);

/** Words that a passage in another language shares with the message: codes, figures, names on the screen. */
const LEAST_SHARED = 2;

/** Whether a passage has a code of the message, or enough of its words; names of devices stand in all of them. */
const sharesWords = ({ unit }: RankedUnit, { question, codes }: TicketUnits): boolean => {
  if (hasCode(unit, codes)) return true;
  const stems = new Set(unit.parts.flatMap(({ pieces }) => pieces.flatMap((piece) => piece.stems)));
  const devices = new Set(question.devices.flatMap((device) => wordsOf(device)));
  const shared = question.terms.filter(
    ({ word, weight, isKnown, forms }) =>
      isKnown && weight === 1 && !devices.has(word) && [...forms].some((form) => stems.has(form)),
  );
  return shared.length >= LEAST_SHARED;
};

interface PickedPassage {
  ranked: RankedUnit;
  passage: AnswerPassage;
}

const pickPassages = (
  candidates: readonly RankedUnit[],
  {
    quoting,
    isForDevice,
    warnedBy,
  }: { quoting: QuoteOptions; isForDevice: DeviceFilter; warnedBy: Warned },
): { passages: PickedPassage[]; hasPromptInjection: boolean } => {
  const passages: PickedPassage[] = [];
  let isScreened = false;
  let size = 0;
  for (const each of candidates) {
    const [first] = passages;
    const least =
      first === undefined
        ? FIRST_SHARE * (candidates[0]?.share ?? 0)
        : SECOND_SHARE * first.ranked.share;
    if (each.share < least || passages.length === MAX_PASSAGES) break;
    if (
      first !== undefined &&
      (size + each.unit.size > MAX_SIZE || isSamePlace(first.ranked, each))
    )
      continue;
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

/** The answer first; passages of several articles with the titles of their articles. */
const withTitles = (picked: readonly PickedPassage[], quoting: QuoteOptions): AnswerPassage[] => {
  const hasSeveralArticles = new Set(picked.map(({ ranked: { source } }) => source.index)).size > 1;
  return picked.map(
    ({ ranked, passage }) =>
      (hasSeveralArticles ? quotePassage(ranked, { ...quoting, isTitled: true }) : undefined) ??
      passage,
  );
};

const isSamePlace = (one: RankedUnit, other: RankedUnit): boolean =>
  one.source.index === other.source.index && overlaps(spansOf(one.unit), spansOf(other.unit));

/** Without the beginnings of articles, which lead to all of them, unless one is much likelier than anything under a heading. */
const withoutIntroductions = (candidates: readonly RankedUnit[]): readonly RankedUnit[] => {
  const [first] = candidates;
  const isHeaded = ({ unit }: RankedUnit): boolean => unit.parts[0].section.path.length > 0;
  const divided = new Set(candidates.filter(isHeaded).map(({ source }) => source.index));
  const others = candidates.filter((each) => isHeaded(each) || !divided.has(each.source.index));
  const isClearly = first !== undefined && (others[0]?.share ?? 0) < SECOND_SHARE * first.share;
  return isClearly ? candidates : others;
};

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
  unit.parts.some((part) =>
    hasPromptInjection([part.section.path.at(-1) ?? '', textOf(part)].join('\n')),
  );
