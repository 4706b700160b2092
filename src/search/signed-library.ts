import type { OriginContext, VerifiedContext } from '../runtime/request-context.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import { type AskLibrary, LibraryUnreachable } from '../storage/edition-storage.ts';

/** The library asked over signed calls that extend the context at hand, with `kb:read` and nothing else. */
export const signedLibrary =
  (client: SignedClient, context: OriginContext | VerifiedContext): AskLibrary =>
  async (path, { maxBytes }) => {
    const answer = await client.call(context, {
      to: 'library',
      method: 'GET',
      path,
      capabilities: ['kb:read'],
      maxAnswerBytes: maxBytes,
    });
    if (!answer.ok) throw new LibraryUnreachable(`Cannot ask the library: ${answer.error.code}`);
    return { status: answer.status, body: answer.body };
  };
