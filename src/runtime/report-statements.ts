import * as z from 'zod';
import { type Progress, Statements } from '../contract/ask.ts';
import { readAs } from '../contract/error-info.ts';
import { Source } from '../contract/response.ts';

/** What is read of an answer, whichever librarian gave it: a faulty member counts as absent. */
const Answered = z.object({
  answer: z.string().max(32_000).optional().catch(undefined),
  sources: z.array(Source).optional().catch(undefined),
  confidence: z.number().min(0).max(1).optional().catch(undefined),
  partial: z.boolean().optional().catch(undefined),
  statements: Statements.optional().catch(undefined),
  metadata: z
    .object({ statements: Statements.optional().catch(undefined), closest: z.array(z.unknown()).max(50).optional() })
    .optional()
    .catch(undefined),
});

/**
 * Reports the statements of a whole answer that were not reported while it was made, and withdraws those that it does not contain.
 *
 * @param sent Texts of the statements that were reported, in their order.
 */
export const reportStatements = (progress: Progress, answered: unknown, sent: readonly string[] = []): void => {
  const read = readAs(Answered, answered);
  if (!read.ok || read.value.answer === undefined) return;
  const { answer, sources = [], confidence, partial, metadata } = read.value;
  const own = { text: answer, sources: sources.slice(0, 20).map(({ name, url }) => ({ name, url })) };
  const statements = read.value.statements ??
    metadata?.statements ?? [{ ...own, support: confidence ?? 0, check: 'reported' as const }];
  const differs = statements.findIndex(({ text }, at) => text !== sent[at]);
  const same = Math.min(sent.length, differs === -1 ? statements.length : differs);
  for (const [at, text] of sent.entries()) {
    if (at >= same) progress({ type: 'removed', index: at, text: text.slice(0, 1000), reason: WITHDRAWN });
  }
  for (const [at, statement] of statements.slice(same).entries()) {
    progress({ type: 'statement', index: sent.length + at, ...statement });
  }
  progress({ type: 'metadata', metadata: { confidence, partial, closest: metadata?.closest } });
};

const WITHDRAWN = 'the whole answer does not contain it';

/** Reports what a run reports, and then the rest of the statements of what it returns. */
export const withStatements = async <T>(progress: Progress, run: (recorded: Progress) => Promise<T>): Promise<T> => {
  const sent: string[] = [];
  const response = await run((event) => {
    if (event.type === 'statement') sent.push(event.text);
    progress(event);
  });
  reportStatements(progress, response, sent);
  return response;
};
