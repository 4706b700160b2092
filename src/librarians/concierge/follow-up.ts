import { History } from '../../answering/understand/recent-turns.ts';
import { readAs } from '../../contract/core/error-info.ts';
import type { Context } from '../../contract/core/librarian.ts';
import { lastOf, type TurnBefore } from '../../language/refers-back.ts';

/** The last turn before a question. */
interface AnsweredTurn extends TurnBefore {
  /** Id of the librarian that answered, if known. */
  librarian: string | undefined;
}

const MAX_BEFORE = 500;

/** The last turn in `metadata.history`. It comes from the caller, so malformed entries are ignored. */
export function turnBefore(context: Context | undefined): AnsweredTurn | undefined {
  const history = readAs(History, context?.metadata?.history);
  const before = history.ok ? lastOf(history.value) : undefined;
  if (!history.ok || before === undefined) return undefined;
  const { librarian } = history.value.findLast(({ speaker }) => speaker === 'assistant') ?? {};
  return { ...before, question: before.question.slice(0, MAX_BEFORE), librarian };
}
