import type { Identity } from '../runtime/identity.ts';
import type { RequestScope } from '../runtime/request-scope.ts';
import { signedClient, type Target } from '../runtime/signed-client.ts';
import { type EditionParts, libraryEditionSource } from '../storage/edition-storage.ts';
import { createEditionReader } from './edition-reader.ts';
import type { Edition } from './open-edition.ts';
import { signedLibrary } from './signed-library.ts';

/**
 * The current edition for a request: of the workspace that its verified context names, asked of the library over signed
 * calls. One for an isolate, which it keeps the editions for. Throws when a workspace has none yet.
 *
 * @param parts Where the bytes of an edition are cheaper to get than from the library.
 */
export const currentEdition = (
  identity: Identity,
  { library, parts }: { library: Target; parts: readonly EditionParts[] },
): ((scope: Pick<RequestScope, 'context' | 'waitUntil'>) => Promise<Edition>) => {
  const client = signedClient({ ...identity, targets: { library } });
  const reader = createEditionReader();
  return async ({ context, waitUntil }) => {
    const source = libraryEditionSource(signedLibrary(client, context), parts);
    return (await reader.read({ workspace: context.workspace, source, waitUntil })).edition;
  };
};
