import type { KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { shapeOf } from './passage-shape.ts';
import { type PickedSteps, type PickOptions, pickSteps } from './pick-steps.ts';

/** Steps that may go out. */
export interface ShownSteps {
  picked: PickedSteps[];
  /** A text in a passage speaks to a model instead of a reader: it was left out, with all that stands behind it. */
  hasPromptInjection: boolean;
}

/**
 * Picks steps from what may be shown of the passages. Only what would be quoted is screened, and again what takes its place: the
 * screen is the dearest part of a draft.
 */
export const pickShownSteps = (passages: readonly KnowledgePassage[], options: PickOptions): ShownSteps => {
  let left = passages;
  let hasPromptInjection = false;
  for (;;) {
    const picked = pickSteps(left, options);
    const used = new Set(picked.map(({ passage }) => passage));
    const planted = [...used].filter((passage) => shapeOf(passage).shown !== passage.text);
    if (planted.length === 0) return { picked, hasPromptInjection };
    hasPromptInjection = true;
    // Each round leaves less text: there is an end.
    left = left.flatMap((passage) => {
      if (!planted.includes(passage)) return [passage];
      const { shown } = shapeOf(passage);
      return shown === '' ? [] : [{ ...passage, text: shown }];
    });
  }
};
