import type { Hono } from 'hono';
import type { CheckBooks } from '../../../knowledge/checks/check-book.ts';
import type { EditionScope } from '../../../knowledge/edition/current-edition.ts';
import { createDraftReader } from '../../../knowledge/edition/draft-edition.ts';
import type { Edition } from '../../../knowledge/edition/open-edition.ts';
import type { GuardedEnv } from '../../../platform/context/context-guard.ts';
import type { Identity } from '../../../platform/context/identity.ts';
import { signedClient, type Target } from '../../../platform/context/signed-client.ts';
import { readManifest } from '../../../platform/storage/edition-storage.ts';
import { type CheckOptionsParts, createCheckOptions } from './check-options.ts';
import { checkRoutes } from './check-routes.ts';
import { type CheckRunner, runCheck } from './run-checks.ts';

interface CheckDeskParts extends Identity, CheckOptionsParts {
  library: Target;
  editionFor: (scope: EditionScope) => Promise<Edition>;
}

/** What a function does about checks: its routes, and what its object runs them with. */
export function checkDesk({
  self,
  signer,
  directory,
  library,
  editionFor,
  ...search
}: CheckDeskParts) {
  const client = signedClient({ self, signer, directory, targets: { library } });
  const checkOptions = createCheckOptions(search);
  return {
    addRoutes: (app: Hono<GuardedEnv>, books: CheckBooks): void =>
      checkRoutes(app, {
        guard: { self, signer, directory, access: 'signed' },
        books,
        editionFor,
        checkOptions,
        readDraft: createDraftReader(client, checkOptions.contextOf),
      }),
    runnerOf: (workspace: string): CheckRunner => ({
      currentEdition: async () => {
        const context = checkOptions.contextOf(workspace, []);
        const ask = async (path: string, { maxBytes }: { maxBytes: number }) => {
          const call = { to: 'library', method: 'GET', path, maxAnswerBytes: maxBytes };
          const answer = await client.call(context, call);
          if (!answer.ok) throw new Error(`Cannot ask the library: ${answer.error.code}`);
          return { status: answer.status, body: answer.body };
        };
        return (await readManifest(ask))?.edition;
      },
      editionFor: (audiences, searches) =>
        editionFor({
          searches: () => searches,
          context: checkOptions.contextOf(workspace, audiences),
          waitUntil: (work) => void work.catch(() => {}),
        }),
      run: (edition, check) => runCheck(edition, check, checkOptions.forNavigator(workspace)),
    }),
  };
}
