/**
 * A client written for API v1.0, kept as it was: it knows the four blocks, of knowledge the three fields that v1.0 had, and
 * nothing that came later. It throws where a reply is none that it understands.
 */
export const readAsV1 = (reply: unknown): { intent: string; text: string; coverage: string; gaps: string[] } => {
  const { intent_classification, draft, knowledge_retrieval, agent_guidance } = objectOf(reply);
  const { primary_intent } = objectOf(intent_classification);
  const { text } = objectOf(draft);
  const { sources_consulted, coverage, gaps } = objectOf(knowledge_retrieval);
  objectOf(agent_guidance);
  if (!Array.isArray(sources_consulted)) throw new TypeError('sources_consulted is no list');
  if (!Array.isArray(gaps)) throw new TypeError('gaps is no list');
  return {
    intent: textOf(primary_intent),
    text: textOf(text),
    coverage: textOf(coverage),
    gaps: gaps.map(textOf),
  };
};

const objectOf = (value: unknown): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('it is no object');
  return value as Record<string, unknown>;
};

const textOf = (value: unknown): string => {
  if (typeof value !== 'string') throw new TypeError('it is no text');
  return value;
};
