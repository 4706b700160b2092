import { describe, expect, it } from 'vitest';
import { createDraftReader } from '../../../src/knowledge/edition/draft-edition.ts';
import { EditionUnavailable } from '../../../src/knowledge/edition/edition-reader.ts';
import type { SignedClient } from '../../../src/platform/context/signed-client.ts';
import { userContext } from '../../platform/context/callers.ts';

const who = { workspace: 'acme', audiences: [] };
const written = { id: 'ports.md', article: { title: 'Ports', content: 'Open port 8433.' } };

/** Reads a draft from a library that answers with an error. */
const read = (status: number, code: string) => {
  const error = { code, message: 'The content is empty' };
  const answer = { ok: true, status, json: () => ({ error }) };
  // The reader looks at the status and the body alone.
  const client = { call: async () => answer } as unknown as SignedClient;
  return createDraftReader(client, () => userContext())(who, written);
};

describe('a draft that the library does not build', () => {
  it('is refused with its reason when the article cannot be written', async () => {
    expect(await read(400, 'INVALID_QUERY')).toEqual({ refusal: 'The content is empty' });
  });
  it.each([
    [401, 'UNAUTHORIZED'],
    [429, 'RATE_LIMITED'],
    [500, 'INTERNAL_ERROR'],
    [503, 'SERVICE_UNAVAILABLE'],
  ])('is unavailable at status %d', async (status, code) => {
    await expect(read(status, code)).rejects.toThrow(EditionUnavailable);
  });
});
