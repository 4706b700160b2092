import type { RequestScope } from '../runtime/request-scope.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import { signedClient, type Target } from '../runtime/signed-client.ts';
import type { Identity } from '../signing/identity.ts';
import type { OriginContext, VerifiedContext } from '../signing/request-context.ts';
import type { EditionParts } from '../storage/edition-storage.ts';
import { type AskLibrary, LibraryUnreachable, libraryEditionSource } from '../storage/edition-storage.ts';
import { createEditionReader } from './edition-reader.ts';
import { editionFor } from './narrow-edition.ts';
import type { Edition } from './open-edition.ts';

/**
 * Returns a reader for what the verified context may read of the current edition of its workspace: articles for other audiences do not
 * exist in it. Create one per isolate: it caches
 * editions. Reading throws if the workspace has no edition yet.
 *
 * @param parts Sources of edition bytes that are cheaper than the library.
 */
export const currentEdition = (
  identity: Identity,
  { library, parts }: { library: Target; parts: readonly EditionParts[] },
): ((scope: Pick<RequestScope, 'context' | 'waitUntil'>) => Promise<Edition>) => {
  const client = signedClient({ ...identity, targets: { library } });
  const reader = createEditionReader();
  return async ({ context, waitUntil }) => {
    const source = libraryEditionSource(signedLibrary(client, context), parts);
    const { edition } = await reader.read({ workspace: context.workspace, source, waitUntil });
    return editionFor(edition, context.audiences);
  };
};

/** A client of the library whose signed calls extend the current context, with the permission `kb:read` only. */
const signedLibrary =
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
