import { compileComposition, compileListing } from './compile-composition.ts';
import type { ComposedParts } from './composed-parts.ts';
import { indexConcepts } from './concepts-of-question.ts';
import type { QuestionMatch } from './match-question.ts';
import { planComposition, planListing } from './plan-composition.ts';
import { readComposition } from './read-composition.ts';
import type { ReadQuestion } from './read-question.ts';

/** `isUnderstood` when every word is known, though perhaps not what they ask together. */
export type Compose = (asked: ReadQuestion) => { isUnderstood: boolean; match?: QuestionMatch };

/** A composed question accounts for every word, yet nobody has looked at it before. */
const SCORE = 0.9;

/** Composes an answer to what no named question asks. One word that has no place is enough to decline. */
export const createComposer = (parts: ComposedParts): Compose => {
  const conceptsOf = indexConcepts(parts);
  return (asked) => {
    const concepts = conceptsOf(asked.parts);
    const composition = concepts && readComposition(concepts, parts);
    const declined = { isUnderstood: concepts !== undefined };
    if (composition === undefined) return declined;
    const listing = planListing(composition, parts);
    const plan = listing === undefined ? planComposition(composition, parts) : undefined;
    const compiled = listing ? compileListing(listing, parts) : plan && compileComposition(plan, parts);
    return compiled === undefined ? declined : { isUnderstood: true, match: { ...compiled, score: SCORE } };
  };
};
