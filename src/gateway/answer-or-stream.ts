import type { Context } from 'hono';
import { knownJson } from '../runtime/json-http.ts';
import { type Reporting, reportStatements, withProgress } from '../runtime/progress.ts';
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
      const sent: string[] = [];
      const response = await run({
        signal,
        progress: (event) => {
          if (event.type === 'statement') sent.push(event.text);
          progress(event);
        },
      });
      if (response.ok) {
        const known = knownJson(response);
        reportStatements(progress, known === undefined ? await response.clone().json() : known.value, sent);
      }
      return response;
    },
    { onFault: (error) => faultResponse(c, error), beginsWithReport },
  );
