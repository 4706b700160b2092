import type { AIMessage } from '../contract/librarian.ts';

/** Violations that a model is told of. */
const MAX_VIOLATIONS = 12;

/** Asks a model once more, with what was wrong. What was wrong quotes others, so that it travels as JSON. */
export const repairPrompt = (
  first: readonly AIMessage[],
  { reply, violations, task }: { reply: string; violations: readonly string[]; task: string },
): AIMessage[] => [
  ...first,
  { role: 'assistant', content: reply },
  {
    role: 'user',
    content: JSON.stringify({
      violations: violations.slice(0, MAX_VIOLATIONS).map((each) => each.slice(0, 300)),
      task,
    }),
  },
];
