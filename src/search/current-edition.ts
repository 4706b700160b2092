import type { RequestScope } from '../runtime/request-scope.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import { signedClient, type Target } from '../runtime/signed-client.ts';
import type { Identity } from '../signing/identity.ts';
import type { OriginContext, VerifiedContext } from '../signing/request-context.ts';
import type { EditionParts } from '../storage/edition-storage.ts';
import {
  type AskLibrary,
  type EditionSource,
  LibraryUnreachable,
  libraryEditionSource,
  MAX_EDITION_BYTES,
  readManifest,
} from '../storage/edition-storage.ts';
import { createEditionReader, EditionUnavailable, loadEdition } from './edition-reader.ts';
import { editionFor } from './narrow-edition.ts';
import type { Edition } from './open-edition.ts';

/** A request that reads an edition. */
export interface EditionScope extends Pick<RequestScope, 'context' | 'waitUntil'> {
  /** An older edition, for callers with the capability `kb:editions:read`; the current one when absent. */
  edition?: string | undefined;
}

/**
 * Returns a reader for what the verified context may read of the current edition of its workspace: articles for other audiences do not
 * exist in it. Create one per isolate: it caches editions. Reading throws if the workspace has no edition yet. An older edition is read
 * while the library stores it, narrowed likewise, and not cached.
 *
 * @param parts Sources of edition bytes that are cheaper than the library.
 */
export const currentEdition = (
  identity: Identity,
  { library, parts }: { library: Target; parts: readonly EditionParts[] },
): ((scope: EditionScope) => Promise<Edition>) => {
  const client = signedClient({ ...identity, targets: { library } });
  const reader = createEditionReader();
  return async ({ context, waitUntil, edition: named }) => {
    const { workspace, audiences } = context;
    const library = signedLibrary(client, context);
    const source = libraryEditionSource(library, parts);
    const { edition } = await reader.read({ workspace, source, waitUntil });
    const isCurrent = named === undefined || named === edition.id;
    return editionFor(isCurrent ? edition : await readOlder(named, { library, source, workspace }), audiences);
  };
};

/** Two editions are open then, beside those of other workspaces. */
const MAX_OLDER_BYTES = MAX_EDITION_BYTES / 4;

const readOlder = async (
  named: string,
  { library, source, workspace }: { library: AskLibrary; source: EditionSource; workspace: string },
): Promise<Edition> => {
  const manifest = await readManifest(library, named);
  if (manifest?.workspace !== workspace)
    throw new EditionUnavailable(`Cannot answer from ${named}: it is not stored any more`);
  if (manifest.bytes > MAX_OLDER_BYTES)
    throw new EditionUnavailable(`Cannot answer from ${named}: it is too large beside the current edition`);
  return loadEdition(manifest, source);
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
