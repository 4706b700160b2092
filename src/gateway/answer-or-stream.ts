import type { Context } from 'hono';
import * as z from 'zod';
import { type Progress, Statements } from '../contract/ask-events.ts';
import { readAs } from '../contract/issue.ts';
import { Source } from '../contract/response.ts';
import { wantsProgress } from '../http/event-stream.ts';
import { knownText } from '../runtime/json-answer.ts';
import { type Reporting, withProgress } from '../runtime/progress.ts';
import { faultResponse } from './gateway-error.ts';
import type { GatewayEnv } from './request-log.ts';

/**
 * Answers as JSON, or with events for a caller that accepts them. The statements of the stream are in the end those of the response: one
 * that it does not contain is withdrawn, and those that were not sent yet follow before `done`.
 */
export const answerOrStream = (
  c: Context<GatewayEnv>,
  run: (reporting: Reporting) => Promise<Response>,
  { beginsWithReport }: { beginsWithReport?: boolean } = {},
): Promise<Response> =>
  withProgress(
    c,
    async ({ signal, progress }) => {
      if (progress === undefined) return run({ signal });
      const { recorded, sendRest } = recordStatements(progress);
      const response = await run(wantsProgress(c.req.raw.headers) ? { signal, progress: recorded } : { signal });
      if (response.ok) sendRest(JSON.parse(knownText(response) ?? (await response.clone().text())));
      return response;
    },
    { onFault: (error) => faultResponse(c, error), beginsWithReport },
  );

/** The same for an answer that is not sent as JSON. */
export const reportStatements = async <T>(progress: Progress, run: (recorded: Progress) => Promise<T>): Promise<T> => {
  const { recorded, sendRest } = recordStatements(progress);
  const response = await run(recorded);
  sendRest(response);
  return response;
};

const recordStatements = (progress: Progress) => {
  const sent: string[] = [];
  const recorded: Progress = (event) => {
    if (event.type === 'statement') sent.push(event.text);
    progress(event);
  };
  return { recorded, sendRest: (answered: unknown) => reportRest(progress, sent, answered) };
};

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

const reportRest = (progress: Progress, sent: readonly string[], json: unknown): void => {
  const read = readAs(Answered, json);
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
