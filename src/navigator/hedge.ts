/** Said before a passage that may well not answer the question (seed 004, pattern 3): nothing is claimed, nothing denied. */
export const HEDGE = "I'm not sure that this answers your question.";

/**
 * Whether a statement only speaks of the answer, and so needs no source. The whole of it must: whatever else is said in the
 * same breath is a statement like any other.
 */
export const isHedge = (statement: string): boolean => HEDGED.test(statement.replaceAll('’', "'").trim());

const HEDGED =
  /^(?:I'm|I am) not (?:sure|certain) (?:that|whether|if) (?:this|it) answers (?:the|your|this) question[.:]?$/i;
