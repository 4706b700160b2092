import { hiddenIn, isNamedByInjection, overlaps } from '../grounding/hidden-parts.ts';
import { hasPromptInjection, isInjectionName } from '../grounding/prompt-injection.ts';
import { excerptsOf } from '../grounding/render-passage.ts';
import type { Unit } from '../grounding/units.ts';
import type { AnsweringModel } from '../search/answering-model.ts';
import { chunkAtHand } from '../search/chunks-at-hand.ts';
import type { Edition } from '../search/open-edition.ts';
import { confidenceFeatures, type SearchOutcome } from '../search/search-edition.ts';
import { splitSentences } from '../text/split-sentences.ts';

/** What is left out before anything is answered, with or without a model. */
export interface Screen {
  /** Without hits whose article or heading is left out; the best of the rest tell of all. */
  outcome(edition: Edition, outcome: SearchOutcome): SearchOutcome;
  /** Tells which units may be shown; all when undefined. */
  isShown(edition: Edition): ((unit: Unit) => boolean) | undefined;
  /** What may be repeated of a question or a turn; empty for nothing. */
  told(text: string): string;
  /** What the knowledge base is about, as it may be said. */
  model(model: AnsweringModel): AnsweringModel;
}

/** Leaves out nothing: people read the quotes, and no model does. */
export const unscreened: Screen = {
  outcome: (_, outcome) => outcome,
  isShown: () => undefined,
  told: (text) => text,
  model: (model) => model,
};

/**
 * Where a model answers, leaves out what speaks to it instead of to a reader: articles by their names, sections by their
 * headings, and of a chunk everything from the first such block on, since what it is told to say mostly comes next. The
 * quotes that stand in for a model's answer are cut from the same rest.
 */
export const promptInjectionScreen: Screen = {
  outcome: (edition, outcome) => {
    const hits = outcome.hits.filter(({ chunk }) => !isNamedByInjection(chunkAtHand(edition, chunk)));
    return hits.length === outcome.hits.length
      ? outcome
      : { ...outcome, hits, ...confidenceFeatures(outcome.query, hits) };
  },
  isShown: (edition) => (unit) =>
    excerptsOf(edition, unit).every(
      ({ chunk, start, end }) => !isNamedByInjection(chunk) && !overlaps(hiddenIn(chunk), { start, end }),
    ),
  told: (text) => (hasPromptInjection(text) ? beforeInjection(text) : text),
  model: (model) => ({ ...model, topics: model.topics.filter((topic) => !isInjectionName(topic)) }),
};

/** The sentences before the first prompt injection; none where it takes several to see it. */
const beforeInjection = (text: string): string => {
  const sentences = splitSentences(text);
  const first = sentences.find(({ start, end }) => hasPromptInjection(text.slice(start, end)));
  return first === undefined ? '' : text.slice(0, first.start).trim();
};
