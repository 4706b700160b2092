import { expect, it } from 'vitest';
import { decide, librariansWithout, targetsOf } from './decide.ts';
import messages from './questions-in-one.json' with { type: 'json' };

/** Target and own question of each part, without a librarian that combines others if asked so. */
const partsOf = async (message: string, { isCombining = true } = {}) => {
  const { requests } = await decide(
    message,
    isCombining ? {} : { librarians: librariansWithout('hybrid') },
  );
  return requests.map(({ to, query }) => (query === undefined ? [to] : [to, query]));
};

it.each(messages.several)('splits $message', async ({ message, targets }) => {
  expect(await targetsOf(message)).toEqual(targets);
});
it.each(messages.single)(
  'neither splits %j nor treats it as a combined question',
  async (message) => {
    const parts = await partsOf(message, { isCombining: false });
    expect([parts.length, parts[0]?.[1] ?? message]).toEqual([1, message]);
    expect(await targetsOf(message)).not.toContain('hybrid');
  },
);
it.each(messages.combined)('routes %j to the librarian that combines others', async (message) => {
  expect(await targetsOf(message)).toEqual(['hybrid']);
});
it.each(messages.parts)(
  'sends each part of "$message" with its introduction',
  async ({ message, hybrid, parts }) => {
    expect(await partsOf(message, { isCombining: hybrid })).toEqual(parts);
  },
);
it('does not split a sentence whose second half cannot stand alone', async () => {
  const message = 'How many Apollo III are in stock and what does its warranty cover?';
  expect(await partsOf(message, { isCombining: false })).toHaveLength(1);
});
it('does not split a list of more than eight questions', async () => {
  const message = Array.from(
    { length: 9 },
    (_, at) => `How many orders were placed in week ${at + 1}?`,
  ).join(' ');
  expect(await partsOf(message)).toHaveLength(1);
});
