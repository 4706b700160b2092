import { beforeInjection, isInjectionName } from '../grounding/prompt-injection.ts';
import { excerptsOf } from '../grounding/render-passage.ts';
import { hiddenIn, isNamedByInjection, overlaps } from '../grounding/shown-passages.ts';
import type { Unit } from '../grounding/units.ts';
import type { AnsweringModel } from '../search/answering-model.ts';
import { cachedChunk, type Edition } from '../search/open-edition.ts';
import { confidenceFeatures, type SearchOutcome } from '../search/search-edition.ts';

/** Excludes content before a question is answered, with or without a model. */
export interface Screen {
  /** Drops hits whose article or heading is excluded, and recomputes the confidence features from the rest. */
  outcome(edition: Edition, outcome: SearchOutcome): SearchOutcome;
  /** Decides which units may be shown; all when undefined. */
  isShown(edition: Edition): ((unit: Unit) => boolean) | undefined;
  /** The part of a question or a turn that may be repeated; may be empty. */
  repeatable(text: string): string;
  /** The topics of the knowledge base that may be named. */
  model(model: AnsweringModel): AnsweringModel;
}

/** Excludes nothing: only people read the quotes. */
export const unscreened: Screen = {
  outcome: (_, outcome) => outcome,
  isShown: () => undefined,
  repeatable: (text) => text,
  model: (model) => model,
};

/**
 * Excludes prompt injections: articles by their names, sections by their headings, and everything in a chunk from the first injection on,
 * since its payload mostly follows. The quotes that replace a model's answer are filtered in the same way.
 */
export const promptInjectionScreen: Screen = {
  outcome: (edition, outcome) => {
    const hits = outcome.hits.filter(({ chunk }) => !isNamedByInjection(cachedChunk(edition, chunk)));
    return hits.length === outcome.hits.length
      ? outcome
      : { ...outcome, hits, ...confidenceFeatures(outcome.query, hits) };
  },
  isShown: (edition) => (unit) =>
    excerptsOf(edition, unit).every(
      ({ chunk, start, end }) => !isNamedByInjection(chunk) && !overlaps(hiddenIn(chunk), { start, end }),
    ),
  repeatable: beforeInjection,
  model: (model) => ({ ...model, topics: model.topics.filter((topic) => !isInjectionName(topic)) }),
};
