import { RETRIEVAL_MIN_SCORE } from '../../contract/knowledge.ts';
import { findAnswer, overlaps, type RankedUnit, spansOf } from '../../grounding/find-answer.ts';
import type { TextVectors } from '../../grounding/parse-question.ts';
import { hasPromptInjection, isInjectionName } from '../../grounding/prompt-injection.ts';
import type { AskedText, Evidence } from '../../knowledge/retrieval/knowledge.ts';
import { refersBack } from '../../text/refers-back.ts';
import { namesSubject } from '../../text/split-questions.ts';
import type { AlreadyTried } from '../ticket/already-tried.ts';
import { phrasesOf } from '../ticket/languages.ts';
import { type Warning, warningFor } from './check-model-draft.ts';
import { type AnswerPassage, type QuoteOptions, quotePassage, textOf } from './quote-passage.ts';
import { type DeviceFilter, deviceFilter, rankTicketUnits, type TicketUnits } from './ticket-units.ts';

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
  /** Intents of the message besides the likeliest, as labels of articles. */
  otherIntents?: readonly string[] | undefined;
  vectors?: TextVectors | undefined;
}

/** Least relevance of an article about another intent. */
const OTHER_INTENT_FROM = 0.75;
/** Least relevance of a unit that contains a code of the message (`E40`); when there is one, no other unit answers. */
const CODE_FROM = 0.02;
/** Share of the best unit's probability that the first passage needs: the best ones may have been tried or be for other devices. */
const FIRST_SHARE = 0.1;
/** Share of the first passage's probability that a second one needs. */
const SECOND_SHARE = 0.55;
const MAX_PASSAGES = 2;
/** Least probability that an article answers a sentence alone, and the same if it is labelled with another intent of the message. */
const OTHER_PROBLEM_FROM = 0.6;
const EXPECTED_PROBLEM_FROM = 0.5;
/** From this share of a sentence's probability on, the quoted articles are about the same problem. */
const SAME_PROBLEM_FROM = 0.1;
/** Sentences that are asked on their own. */
const MAX_SENTENCES = 6;
/** Visible characters of all passages together; a single procedure may be longer. */
const MAX_SIZE = 1100;

/**
 * Picks the passages that answer a ticket from the articles that are sure enough: whole sections, complete procedures, tables with their
 * head. Sections about other devices and steps that were already tried are omitted.
 */
export const answerPassages = (evidence: Evidence, found: TicketUnits, options: AnswerOptions): Answer => {
  const candidates = sureUnits(evidence, found);
  const warning = warningFor(evidence, found);
  if (candidates.length === 0) return { passages: [], warning: warning?.passage, hasPromptInjection: false };
  const { done } = phrasesOf(evidence.language ?? '');
  const quoting = { question: found.question, done, alreadyTried: options.alreadyTried };
  const isForDevice = deviceFilter({ ...options, devices: evidence.edition.devices() });
  const picking = { quoting, isForDevice, warnedBy: warning?.article };
  const picked = pickPassages(candidates, picking);
  const other = picked.passages.length === 0 ? undefined : otherProblem(evidence, picked.passages, options);
  const second = other && pickPassages(other.units, { ...picking, quoting: { ...quoting, question: other.question } });
  const passages = inArticleOrder([...picked.passages, ...(second?.passages.slice(0, 1) ?? [])]);
  const isQuoted = passages.some(
    ({ markdown }) => warning !== undefined && markdown.includes(warning.passage.markdown),
  );
  return {
    passages: warning === undefined || isQuoted ? passages : [warning.passage, ...passages],
    warning: warning?.passage,
    hasPromptInjection: picked.hasPromptInjection || second?.hasPromptInjection === true,
  };
};

/** Units of sufficiently relevant articles; when some of them contain a code of the message, only these. */
const sureUnits = ({ intents }: Evidence, { question, units, relevance }: TicketUnits): readonly RankedUnit[] => {
  // As inline code, or as the first cell of a row.
  const codes = question.terms.flatMap(({ word, isKnown, weight }) =>
    isKnown && word.length > 2 && /\d/.test(word) && weight === 1 ? [`\`${word}\``, `\n| ${word} |`] : [],
  );
  const hasCode = ({ unit }: RankedUnit) =>
    unit.parts.some((part) => {
      const text = textOf(part).toLowerCase();
      return codes.some((code) => text.includes(code));
    });
  const sure = units.filter((each) => {
    const { index, intents: own } = each.source;
    const isAbout = intents.length === 0 || own.length === 0 || own.some((intent) => intents.includes(intent));
    const probability = relevance.get(index) ?? 0;
    return (
      probability >= (isAbout ? RETRIEVAL_MIN_SCORE : OTHER_INTENT_FROM) || (probability >= CODE_FROM && hasCode(each))
    );
  });
  const withCode = sure.filter(hasCode);
  return withCode.length > 0 ? withCode : sure;
};

interface PickedPassage {
  ranked: RankedUnit;
  passage: AnswerPassage;
  quoting: QuoteOptions;
}

/**
 * The units of an article that answers one sentence alone: a message may report two problems, and the units of the first
 * one win the comparison. Undefined when none is about something else than what is quoted and surely answered.
 */
const otherProblem = (
  { sentences, ...evidence }: Evidence,
  quoted: readonly PickedPassage[],
  { product, isProductExact, vectors, otherIntents = [] }: AnswerOptions,
): TicketUnits | undefined => {
  const devices = product === undefined || !isProductExact ? [] : [product];
  const isQuoted = (article: number | undefined) => quoted.some(({ ranked }) => ranked.source.index === article);
  const [best] = problemsIn({ sentences, ...evidence })
    .filter(({ outcome: { hits } }) => !isQuoted(hits[0]?.article))
    .slice(0, MAX_SENTENCES)
    .flatMap(({ text, outcome, isOwn }) => {
      const found = findAnswer(evidence.edition, text, { searches: [outcome], devices, vectors });
      const source = found.passages[0]?.source;
      const ofQuoted = found.articles.reduce((sum, each) => sum + (isQuoted(each.source.index) ? each.share : 0), 0);
      const isExpected = source?.intents.some((intent) => otherIntents.includes(intent)) === true;
      const least = isExpected ? EXPECTED_PROBLEM_FROM : isOwn ? OTHER_PROBLEM_FROM : Number.POSITIVE_INFINITY;
      const isOther = found.probability >= least && ofQuoted < SAME_PROBLEM_FROM;
      // Articles on other products have no relevance.
      const isFor = source !== undefined && evidence.relevance.has(source.index);
      return isOther && isFor ? [{ text, outcome, article: source.index, probability: found.probability }] : [];
    })
    .toSorted((one, other) => other.probability - one.probability);
  if (best === undefined) return undefined;
  const { text, outcome, article } = best;
  const ranked = rankTicketUnits({ ...evidence, sentences, text, search: outcome }, { product, vectors });
  return { ...ranked, units: ranked.units.filter(({ source }) => source.index === article) };
};

interface PossibleProblem extends AskedText {
  /** It stands alone. */
  isOwn: boolean;
}

/** Sentences that name a subject. In the first one "it" points back to nothing. */
const problemsIn = ({ text: whole, search, sentences }: Evidence): PossibleProblem[] =>
  (sentences.length > 0 ? sentences : [{ text: whole, outcome: search }])
    .map((sentence) => ({ ...sentence, isOwn: !refersBack(sentence.text) }))
    .filter(({ text, isOwn }, at) => (at === 0 || isOwn) && namesSubject(text));

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
    if (!isQuotable(each, { isForDevice, warnedBy }) || refersTo(each, candidates)) continue;
    if (isInjected(each)) {
      isScreened = true;
      continue;
    }
    const passage = quotePassage(each, quoting);
    if (passage === undefined) continue;
    passages.push({ ranked: each, passage, quoting });
    size += each.unit.size;
  }
  return { passages, hasPromptInjection: isScreened };
};

/** Passages of one article in its order; passages of several articles with the titles of their articles. */
const inArticleOrder = (picked: readonly PickedPassage[]): AnswerPassage[] => {
  const ordered = picked.toSorted(({ ranked: one }, { ranked: other }) =>
    one.source.index === other.source.index ? placeOf(one) - placeOf(other) : 0,
  );
  const hasSeveralArticles = new Set(ordered.map(({ ranked: { source } }) => source.index)).size > 1;
  return ordered.map(
    ({ ranked, passage, quoting }) =>
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

/** "Go on with *Lamp two stays dark*": the other article is a candidate itself and answers better. */
const refersTo = ({ unit, source }: RankedUnit, candidates: readonly RankedUnit[]): boolean => {
  const text = unit.parts.map(textOf).join('\n').toLowerCase();
  return candidates.some((other) => other.source !== source && text.includes(other.source.title.toLowerCase()));
};

const isInjected = ({ unit, source }: RankedUnit): boolean =>
  [source.id, source.title].some(isInjectionName) ||
  unit.parts.some((part) => hasPromptInjection([part.section.path.at(-1) ?? '', textOf(part)].join('\n')));
