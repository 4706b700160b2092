import * as z from 'zod';
import { readAs } from '../../contract/error-info.ts';
import type { Context } from '../../contract/librarian.ts';
import { lastOf, type TurnBefore } from '../../text/refers-back.ts';

/** The last turn before a question. */
interface AnsweredTurn extends TurnBefore {
  /** Id of the librarian that answered, if known. */
  librarian: string | undefined;
}

const History = z
  .array(
    z.object({
      speaker: z.enum(['user', 'assistant']),
      text: z.string().max(8000),
      librarian: z.string().max(64).optional(),
    }),
  )
  .max(20);

/** The last turn in `metadata.history`. It comes from the caller, so malformed entries are ignored. */
export const turnBefore = (context: Context | undefined): AnsweredTurn | undefined => {
  const history = readAs(History, context?.metadata?.history);
  if (!history.ok) return undefined;
  const before = lastOf(history.value);
  const librarian = history.value.findLast(({ speaker }) => speaker === 'assistant')?.librarian;
  return before === undefined ? undefined : { ...before, question: before.question.slice(0, MAX_BEFORE), librarian };
};

const MAX_BEFORE = 500;
