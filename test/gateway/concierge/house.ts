import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { QUESTION_ORIGIN } from '../../../src/contract/ask-request.ts';
import { type Context, LibrarianInfo } from '../../../src/contract/librarian.ts';
import type { DelegateRequest } from '../../../src/contract/response.ts';
import { createConcierge } from '../../../src/gateway/concierge/concierge.ts';

/** Five librarians as they might describe themselves; the product's own descriptions may change without these. */
export const HOUSE = z
  .array(LibrarianInfo)
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'librarians.json'), 'utf8')));

export const ALL_RIGHTS = ['kb:read', 'sql:read', 'web:search'];

/** The house without some of its librarians. */
export const houseWithout = (...ids: string[]): LibrarianInfo[] => HOUSE.filter(({ id }) => !ids.includes(id));

/** What a concierge decides, with the default librarian `navigator`. */
export const decide = async (
  question: string,
  {
    librarians = HOUSE,
    capabilities = ALL_RIGHTS,
    ...context
  }: { librarians?: readonly LibrarianInfo[]; capabilities?: string[] } & Context = {},
) => {
  const concierge = createConcierge({ librarians, defaultLibrarian: 'navigator' });
  const response = await concierge(question, { user: { id: 'user:u_1', capabilities }, ...context });
  const delegates = [response.delegate ?? []].flat();
  const requests = delegates.map(({ context: _, ...request }): DelegateRequest => request);
  return { response, requests, origins: delegates.map(({ context: own }) => own?.[QUESTION_ORIGIN]) };
};

/** The targets of a decision, in order. */
export const targetsOf = async (...asked: Parameters<typeof decide>): Promise<string[]> =>
  (await decide(...asked)).requests.map(({ to }) => to);
