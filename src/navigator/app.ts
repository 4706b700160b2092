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

/** How the navigator is introduced to people and librarians. */
const NAVIGATOR: LibrarianInfo = {
  id: 'navigator',
  name: 'Navigator',
  description:
    'Answers questions from the knowledge base with quotes that name their file and section, says how sure it is and why, and declines where nothing is written: how to set up, use, maintain and repair, what messages and settings mean, rules and policies.',
  capabilities: ['kb:read'],
  examples: [
    'How do I set it up for the first time?',
    'How can I reset a forgotten password?',
    'Why does it not start any more?',
    'What does this error code mean?',
    'What does the warranty cover?',
    'How long is the warranty?',
    'Can I return a product that I do not like?',
    'How long does delivery take?',
    'How do I send a defective device in for repair?',
    'How do I update to the latest firmware?',
    'What is new in the latest release?',
    'How do I restore a backup of my settings?',
    'What do the colours of the light mean?',
    'My device is too loud, what can I do?',
    'It stops working after a few minutes and gets hot',
    'Which port do I have to open on my router?',
    'Does it support wireless networks?',
    'How much electricity does it consume?',
    'How much does it weigh and how big is it?',
    'What power supply does it need?',
    'How many devices can I connect to one account?',
    'Is it safe to leave it running overnight?',
    'How do I find the device in my network?',
    'What happens to my data when I do a factory reset?',
    'Where do I enter the address that I want to be paid to?',
    'What is the difference between the two models?',
    'How do I log in over SSH?',
    'Which request of the API reads the current status?',
    'The connection drops all the time',
    'Can I cancel my order after it has shipped?',
    'Do you ship to other countries and who pays customs?',
    'How do I change the default setting?',
    'It shows a red light and does nothing',
    'How long does the synchronisation take?',
    'What are the requirements before I begin?',
    'Why is the performance lower than expected?',
    'What does shipping to Switzerland cost?',
    'What does postage cost for a single parcel?',
    'What does this word in the log mean?',
    'Who do I write to for support?',
    'What is the highest temperature that it may run at?',
    'Can I use an adapter or a cable of another maker?',
    'I am locked out of my account after too many attempts',
    'Explain to me in simple words how this works',
    'What should I do if the update fails halfway?',
    'How do I turn the fan down at night?',
    'Which settings do I need for the best result?',
    'Does the guarantee go over to the next owner?',
    'Can I mount it on a wall or put it in a rack?',
    'How do I create a token for the API?',
    'What is the limit of requests per minute?',
    'What is included in the box?',
    'Who pays for the parcel when I send something back?',
    'How do I get the tracking number of a shipment?',
    'The page does not open in my browser',
    'Can I pay in instalments?',
    'What does it need to run: memory, disk, cable?',
    'How fast should it be in normal mode?',
  ],
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
