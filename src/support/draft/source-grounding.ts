import { checkSupport, SUPPORTED_FROM } from '../../grounding/support-check.ts';
import type { KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { shapeOf } from './passage-shape.ts';
import type { PickedSteps } from './pick-steps.ts';

/**
 * The share of a draft's own statements that the source each of them cites supports (seed 001, Advanced Metrics). What comes from
 * a template is nobody's statement about a source and is not counted.
 *
 * @returns 0 to 1; null where it makes no statement of its own.
 */
export const sourceGrounding = (picked: readonly Pick<PickedSteps, 'intro' | 'quotes' | 'passage'>[]): number | null =>
  shareSupported(
    picked.flatMap(({ intro, quotes, passage }) =>
      [...(intro === undefined ? [] : [intro]), ...quotes].map((text) => ({ text, passages: [passage] })),
    ),
  );

/** The same for texts of any origin, each with the passages that it cites. */
export const shareSupported = (
  said: readonly { text: string; passages: readonly KnowledgePassage[] }[],
): number | null => {
  const judged = said.flatMap(
    ({ text, passages }) =>
      checkSupport(
        text,
        passages.map((passage) => shapeOf(passage).source),
      ).sentences,
  );
  if (judged.length === 0) return null;
  const supported = judged.filter(({ probability }) => probability >= SUPPORTED_FROM).length;
  return Math.round((supported / judged.length) * 1000) / 1000;
};
