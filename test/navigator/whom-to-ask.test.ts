import { describe, expect, it } from 'vitest';
import type { LibrarianInfo } from '../../src/contract/librarian.ts';
import { createLibrarians } from '../../src/delegation/librarian-directory.ts';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { type OtherLibrarians, withWhomToAsk } from '../../src/navigator/answer-question.ts';
import { createApp } from '../../src/navigator/navigator-librarian.ts';
import { serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { identityFrom } from '../../src/signing/identity.ts';
import { originate } from '../../src/signing/request-context.ts';
import { openSmallKb } from './small-kb.ts';

const { edition } = openSmallKb();
const SHOP: LibrarianInfo = {
  id: 'analytics',
  name: 'Shop [figures](https://evil.example)',
  description: 'Counts orders, revenue, customers and products of the shop, by month, region and product.',
  capabilities: ['sql:read'],
  examples: [
    'How much revenue did we make last month?',
    'Which product sold best?',
    'How many orders came from France?',
  ],
};
const REVENUE = 'How much revenue did we make in March by region?';

/** The related topics of `POST /v1/navigate` and of the librarian route, once the descriptions are cached. */
const topicsFor = async (query: string) => {
  const of = (id: string) => identityFrom({ ENVIRONMENT: 'development' }, id);
  const shop = serveLibrarian(async () => ({ answer: 'x' }), SHOP, await of('analytics'));
  const targets = { analytics: { fetch: async (request: Request) => shop.fetch(request) } };
  const librarians = createLibrarians({ targets, own: ['analytics'] });
  await librarians.list();
  const app = createApp({ ...(await of('navigator')), log: () => {}, librarians, editionFor: async () => edition });
  const navigator = { fetch: async (request: Request) => app.fetch(request) };
  const client = signedClient({ ...(await of('gateway')), targets: { navigator }, log: () => {} });
  const origin = { self: 'gateway', subject: 'user:u1', workspace: 'acme', authentication: 'key', now: Date.now() };
  const ask = async (path: string) => {
    const answer = await client.call(originate({ ...origin, capabilities: ['kb:read'] }), {
      ...{ to: 'navigator', path },
      body: JSON.stringify({ query }),
    });
    if (!answer.ok) throw new Error(answer.error.message);
    // biome-ignore lint/suspicious/noExplicitAny: tests check replies of any shape
    return answer.json() as any;
  };
  const full = await ask('/v1/navigate');
  const reply = await ask('/librarians/navigator/ask');
  expect(reply.metadata.navigator.relatedTopics).toEqual(full.relatedTopics);
  return { topics: full.relatedTopics as string[], answer: full.answer as string };
};

describe('related topics', () => {
  it('start with the librarian for the subject, with its id, as plain text', async () => {
    const { topics, answer } = await topicsFor(REVENUE);
    expect(topics[0]).toMatch(/^Ask Shop figures.*\(analytics\)$/);
    expect(topics[0]).not.toContain('](');
    expect(answer).toMatch(/I don't have information/);
  });

  it('name no librarian for a question about the knowledge base', async () => {
    const { topics } = await topicsFor('How often must the boiler be descaled?');
    expect(topics.join()).not.toContain('analytics');
  });
});

describe('withWhomToAsk()', () => {
  it('names no librarian in the call chain', () => {
    const self = { id: 'navigator', name: 'Navigator', description: 'Answers from the knowledge base.' };
    const others = (chain: string[]): OtherLibrarians => ({ self, all: [SHOP], chain });
    const answer = answerFromEdition(edition, REVENUE);
    const first = (chain: string[]) => withWhomToAsk(answer, REVENUE, others(chain)).response.relatedTopics?.[0];
    expect(first(['gateway'])).toContain('(analytics)');
    expect(first(['gateway', 'analytics']) ?? '').not.toContain('analytics');
  });
});
