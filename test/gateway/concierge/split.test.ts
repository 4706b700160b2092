import { describe, expect, it } from 'vitest';
import { decide, librariansWithout, targetsOf } from './decide.ts';
import messages from './questions-in-one.json' with { type: 'json' };

/** Single questions with conjunctions, several sentences or marks. */
const SINGLE = messages.single;

describe('createConcierge() and several questions at once', () => {
  it.each(messages.several)('splits $message', async ({ message, targets }) => {
    expect(await targetsOf(message)).toEqual(targets);
  });

  it.each(SINGLE)('does not split %j', async (message) => {
    const { requests } = await decide(message, { librarians: librariansWithout('hybrid') });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.query ?? message).toBe(message);
  });

  it.each(SINGLE)('does not treat %j as a combined question', async (message) => {
    expect(await targetsOf(message)).not.toContain('hybrid');
  });

  it.each(messages.combined)('routes %j to the librarian that combines others', async (message) => {
    expect(await targetsOf(message)).toEqual(['hybrid']);
  });

  it('splits one sentence itself when there is no hybrid', async () => {
    const message = 'How many Apollo III are in stock and what does the warranty cover?';
    const { requests } = await decide(message, { librarians: librariansWithout('hybrid') });
    expect(requests.map(({ to, query }) => [to, query])).toEqual([
      ['analytics', 'How many Apollo III are in stock'],
      ['navigator', 'what does the warranty cover?'],
    ]);
  });

  it('does not split a sentence whose second half cannot stand alone', async () => {
    const message = 'How many Apollo III are in stock and what does its warranty cover?';
    const { requests } = await decide(message, { librarians: librariansWithout('hybrid') });
    expect(requests).toHaveLength(1);
  });

  it('sends several questions for the default librarian to it as one', async () => {
    const message = 'How do I reset a forgotten password? What does the warranty cover?';
    expect((await decide(message)).requests).toEqual([{ to: 'navigator' }]);
  });

  it('groups the questions of the default librarian, and sends each other one separately', async () => {
    const message = 'How do I reset my password? How many orders did we get in May? What does the warranty cover?';
    expect((await decide(message)).requests.map(({ to, query }) => [to, query])).toEqual([
      ['navigator', 'How do I reset my password? What does the warranty cover?'],
      ['analytics', 'How many orders did we get in May?'],
    ]);
  });

  it('keeps the introduction of each part', async () => {
    const { requests } = await decide('How many fans are in stock? My miner is red since Monday. What does it mean?');
    expect(requests.map(({ query }) => query)).toEqual([
      'How many fans are in stock?',
      'My miner is red since Monday. What does it mean?',
    ]);
  });

  it('does not split a list of more than eight questions', async () => {
    const message = Array.from({ length: 9 }, (_, at) => `How many orders were placed in week ${at + 1}?`).join(' ');
    expect((await decide(message)).requests).toHaveLength(1);
  });
});
