import { NavigateRequest } from '../contract/ask-request.ts';
import type { LibrarianInfo } from '../contract/librarian.ts';
import type { Edition } from '../knowledge/edition/open-edition.ts';
import { contextGuard, refusal, requireCapability } from '../runtime/context-guard.ts';
import { readJson } from '../runtime/read-json.ts';
import type { RequestScope } from '../runtime/request-scope.ts';
import { type ServeOptions, serveLibrarian } from '../runtime/serve-librarian.ts';
import { waitUntilOf } from '../runtime/wait-until.ts';
import { answerAtHand } from './answers-at-hand.ts';
import { createNavigator } from './navigator-librarian.ts';
import { QUESTION_EXAMPLES } from './question-examples.ts';

/** How the navigator is introduced to people and librarians. */
const NAVIGATOR: LibrarianInfo = {
  id: 'navigator',
  name: 'Navigator',
  description:
    'Answers questions from the knowledge base with quotes that name their file and section, says how sure it is and why, and declines where nothing is written: how to set up, use, maintain and repair, what messages and settings mean, rules and policies.',
  capabilities: ['kb:read'],
  examples: QUESTION_EXAMPLES,
};

export interface NavigatorAppOptions extends Omit<ServeOptions, 'ai' | 'delegates'> {
  /** The current edition for a request: of the workspace that its verified context names. Throws when there is none. */
  editionFor: (scope: Pick<RequestScope, 'context' | 'waitUntil'>) => Promise<Edition>;
}

/** `POST /librarians/navigator/ask` and `GET /librarians/navigator`, and `POST /v1/navigate` in the shape of seed 004. */
export const createApp = ({ editionFor, ...options }: NavigatorAppOptions) => {
  const parts = { log: options.log, now: options.now };
  const librarian = {
    forRequest: (scope: RequestScope) => createNavigator({ ...parts, readEdition: () => editionFor(scope) }),
  };
  const settings = { ...options, access: options.access ?? ('signed' as const), self: NAVIGATOR.id };
  const app = serveLibrarian(librarian, NAVIGATOR, options);
  app.post('/v1/navigate', contextGuard(settings), requireCapability('kb:read'), async (c) => {
    const request = readJson(c.get('body'), NavigateRequest);
    if (!request.ok) {
      c.set('outcome', 'INVALID_QUERY');
      return refusal('INVALID_QUERY', { librarian: NAVIGATOR.id, message: request.problem });
    }
    const edition = await editionFor({ context: c.get('context'), waitUntil: waitUntilOf(c) });
    return c.json(answerAtHand(edition, request.value.query).response, 200);
  });
  return app;
};
