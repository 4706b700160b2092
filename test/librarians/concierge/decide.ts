import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { QUESTION_ORIGIN } from '../../../src/contract/core/ask.ts';
import { type Context, LibrarianInfo } from '../../../src/contract/core/librarian.ts';
import type { DelegateRequest } from '../../../src/contract/core/response.ts';
import { createConcierge } from '../../../src/librarians/concierge/concierge.ts';

/** Five sample librarians, independent of the descriptions of the product. */
export const LIBRARIANS = z
  .array(LibrarianInfo)
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'librarians.json'), 'utf8')));

export const ALL_RIGHTS = ['kb:read', 'sql:read', 'web:search'];

export function librariansWithout(...ids: string[]): LibrarianInfo[] {
  return LIBRARIANS.filter(({ id }) => !ids.includes(id));
}

/** The decision of a concierge with the default librarian `navigator`. */
export async function decide(
  question: string,
  {
    librarians = LIBRARIANS,
    capabilities = ALL_RIGHTS,
    ...context
  }: { librarians?: readonly LibrarianInfo[]; capabilities?: string[] } & Context = {},
) {
  const concierge = createConcierge({ librarians, defaultLibrarian: 'navigator' });
  const response = await concierge(question, {
    user: { id: 'user:u_1', capabilities },
    ...context,
  });
  const delegates = [response.delegate ?? []].flat();
  const requests = delegates.map(({ context: _, ...request }): DelegateRequest => request);
  return {
    response,
    requests,
    origins: delegates.map(({ context: own }) => own?.[QUESTION_ORIGIN]),
  };
}

/** The targets of a decision, in order. */
export async function targetsOf(...asked: Parameters<typeof decide>): Promise<string[]> {
  return (await decide(...asked)).requests.map(({ to }) => to);
}
