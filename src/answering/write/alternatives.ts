import { levelOf } from '../../contract/core/confidence-level.ts';
import type { AlternativeAnswer } from '../../contract/core/navigator-response.ts';
import { escapeHtml, escapeText } from '../../documents/markdown/escape-html.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import { stemsOf } from '../../knowledge/edition/sections.ts';
import { CLOSE_SECOND, type FoundAnswer, shortened } from '../passages/find-answer.ts';
import { excerptsOf } from '../passages/render-passage.ts';
import { hiddenIn, isNamedByInjection, overlaps } from '../passages/shown-passages.ts';
import { type AnswerPhrases, filled } from './answer-phrases.ts';
import { citedSections, leadTo, nameOf, type Place, rounded } from './cite-sources.ts';
import type { Comparison } from './compare-sources.ts';
import { headingAbove, showPassages } from './show-passages.ts';

/** An alternative with the words of it that need no source. */
export interface FramedAlternative {
  alternative: AlternativeAnswer;
  frame: readonly string[];
}

interface AlternativeOptions {
  comparisons: readonly Comparison[];
  edition: Edition;
  /** Probability of the answer, 0 to 1. */
  probability: number;
  phrases: AnswerPhrases;
}

/** What articles that are not cited state against the answer, each article once. */
export function conflictsWith(
  cited: readonly Place[],
  { comparisons, edition, probability, phrases }: AlternativeOptions,
): FramedAlternative[] {
  const articles = new Set(cited.map(({ chunk }) => chunk.source.id));
  return comparisons.flatMap(({ verdict, difference, citation, place }) => {
    const { source, headingPath, text } = place.chunk;
    if (verdict !== 'conflicts' || articles.has(source.id) || !isQuotable(place)) return [];
    articles.add(source.id);
    const frame = [leadTo(source, phrases), ...headingAbove(headingPath)];
    const alternative = {
      kind: 'conflict' as const,
      answer: escapeHtml([...frame, text.slice(place.start, place.end).trim()].join('\n\n')),
      sources: citedSections(
        [{ places: [place], reason: 'Says otherwise than the answer' }],
        edition.id,
      ),
      confidence: levelOf(probability),
      probability: rounded(probability),
      reason: escapeText(`${filled(phrases.conflict, { citation, difference })}.`, 1000),
    };
    return [{ alternative, frame }];
  });
}

/** Code that differs in a number, such as a version, contradicts nothing. No prompt injection is quoted, nor more than a reader compares. */
const isQuotable = ({ chunk, start, end }: Place): boolean =>
  end - start <= MAX_QUOTE &&
  stemsOf(chunk.text.slice(start, end).replace(/`[^`]*`/g, ' ')).length >= MIN_WORDS &&
  !isNamedByInjection(chunk) &&
  !overlaps(hiddenIn(chunk), { start, end });
const MIN_WORDS = 3;
const MAX_QUOTE = 1000;

/** Length of another reading as Markdown, in UTF-16 units. */
const READING_ROOM = 600;
const MAX_SOURCES = 5;

/** The best passage of an article that fits almost as well, for which the answer has no room, unless it states what the answer does. */
export function otherReadings(
  result: FoundAnswer,
  { comparisons, edition, probability, phrases }: AlternativeOptions,
): FramedAlternative[] {
  const { articles, passages, units, question } = result;
  const compared = new Set(comparisons.map(({ place }) => place.chunk.source.id));
  const shown = new Set(passages.map(({ source }) => source.id));
  const second = articles.find(({ source }) => !shown.has(source.id));
  const likely = (result.probability * (second?.share ?? 0)) / (articles[0]?.share ?? 1);
  const unit = units.find(
    ({ source, isOtherDevice }) => source.id === second?.source.id && !isOtherDevice,
  );
  if (
    unit === undefined ||
    likely < CLOSE_SECOND * result.probability ||
    compared.has(unit.source.id)
  )
    return [];
  const passage = { ...unit, unit: shortened(unit.unit, READING_ROOM) };
  const { text, frame } = showPassages(
    { passages: [passage], question },
    { isDoubtful: false, closest: [], phrases },
  );
  const places = excerptsOf(edition, passage.unit);
  const alternative = {
    kind: 'other_reading' as const,
    answer: text,
    sources: citedSections([{ places, reason: 'Answers almost as probably' }], edition.id).slice(
      0,
      MAX_SOURCES,
    ),
    confidence: levelOf(Math.min(probability, likely)),
    probability: rounded(Math.min(probability, likely)),
    reason: escapeText(`${phrases.closeSecond}: “${nameOf(unit.source)}”.`, 1000),
  };
  return [{ alternative, frame }];
}
