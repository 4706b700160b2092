import { hasPromptInjection } from '../../grounding/prompt-injection.ts';
import { stemsOf } from '../../grounding/sections.ts';
import type { Evidence } from '../../knowledge/retrieval/knowledge.ts';
import { escapeHtml } from '../../runtime/escape-html.ts';
import { detectLanguage } from '../../text/detect-language.ts';
import { splitSentences } from '../../text/split-sentences.ts';
import PROHIBITIONS from './prohibitions.json' with { type: 'json' };
import { type AnswerPassage, readable } from './quote-passage.ts';
import type { TicketUnits } from './ticket-units.ts';

/** Share of the message's words that a warning needs; at least two words. */
const WARNED_SHARE = 0.2;
/** Least relevance of an article whose warnings are read. */
const WARNING_FROM = 0.2;

export interface Warning {
  /** Place of the article in the edition. */
  article: number;
  passage: AnswerPassage;
}

/**
 * The prohibition that shares most words with the message: "Do not cut the power while the LED is blue." It is quoted first, whatever
 * else answers, and procedures of other articles are not quoted.
 */
export const warningFor = (
  { intents, language }: Evidence,
  { units, question, relevance }: TicketUnits,
): Warning | undefined => {
  const terms = question.terms.filter(({ isKnown, weight }) => isKnown && weight === 1);
  const total = terms.reduce((sum, { idf }) => sum + idf, 0);
  let best: { share: number; warning: Warning } | undefined;
  for (const { unit, source } of units) {
    const isAbout = source.intents.some((intent) => intents.includes(intent));
    if (!isAbout || (relevance.get(source.index) ?? 0) < WARNING_FROM) continue;
    for (const { section, pieces } of unit.parts)
      for (const piece of pieces)
        for (const { start, end } of splitSentences(section.text, piece)) {
          const sentence = section.text.slice(start, end).replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/, '');
          if (!isProhibition(sentence, language ?? '')) continue;
          const stems = new Set(stemsOf(sentence));
          const found = terms.filter(({ forms }) => [...forms].some((form) => stems.has(form)));
          const share = found.reduce((sum, { idf }) => sum + idf, 0) / total;
          if (found.length < 2 || share < WARNED_SHARE || share <= (best?.share ?? 0) || hasPromptInjection(sentence))
            continue;
          const text = readable(sentence);
          const passage = {
            title: source.title,
            url: source.url,
            markdown: escapeHtml(text),
            text,
            language: detectLanguage(sentence),
            steps: [sentence],
          };
          best = { share, warning: { article: source.index, passage } };
        }
  }
  return best?.warning;
};

/** Words at the beginning of a clause that forbid something, by language. */
const PROHIBITS = new Map(
  Object.entries(PROHIBITIONS).map(([language, words]) => [
    language,
    new RegExp(`(?:^|[.!;:,–—(]\\s{1,4})[*_"“]{0,3}(?:${words.join('|')})(?!\\p{L})`, 'iu'),
  ]),
);

/**
 * Whether a sentence forbids something: "Do not cut the power while the LED is blue."
 *
 * @param language Primary subtag of BCP 47; without a list for the language, nothing is a prohibition.
 */
export const isProhibition = (sentence: string, language: string): boolean =>
  PROHIBITS.get(language)?.test(sentence) === true;
