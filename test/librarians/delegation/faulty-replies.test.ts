import { describe, expect, it } from 'vitest';
import { network, says, signing } from './network.ts';

const SOURCE = { name: 'Care', relevance: 0.9 };

/** The response that is passed on for a signed reply of a target whose runtime has validated nothing. */
const receive = async (to: string, reply: object) => {
  const { ask, apps, variables } = await network({ [to]: says('x') });
  apps.set(to, await signing(to, variables, JSON.stringify(reply)));
  const { responses } = await ask([{ to }]);
  return responses[0]!;
};

describe.each(['acme', 'partner.acme', 'navigator'])('a faulty reply of %s', (to) => {
  it.each<[string, object]>([
    ['a source that is null', { answer: 'x', sources: [null] }],
    ['a source with a blank name', { answer: 'x', sources: [{ name: ' ' }] }],
    ['a source with a number as its name', { answer: 'x', sources: [{ name: 7 }] }],
    ['51 sources', { answer: 'x', sources: Array.from({ length: 51 }, () => SOURCE) }],
    ['a blank answer', { answer: ' ' }],
    ['an answer of 32,001 characters', { answer: 'x'.repeat(32_001) }],
  ])('is not passed on: %s', async (_, reply) => {
    const { error, ...rest } = await receive(to, reply);
    expect([rest, error]).toMatchObject([{}, { code: 'DELEGATION_FAILED', librarian: to }]);
    expect(rest).toEqual({});
  });
  it.each<[string, object, string]>([
    ['a confidence in words', { confidence: 'high' }, 'confidence'],
    ['a confidence above 1', { confidence: 1.5 }, 'confidence'],
    ['a relevance below 0', { sources: [{ ...SOURCE, relevance: -1 }] }, 'sources.0.relevance'],
    ['a script as an address', { sources: [{ ...SOURCE, url: 'javascript:x' }] }, 'sources.0.url'],
    ['a word in place of partial', { partial: 'no' }, 'partial'],
    ['metadata that is a list', { metadata: ['x'] }, 'metadata'],
    ['metadata of 256,001 characters', { metadata: { text: 'x'.repeat(256_001) } }, 'metadata'],
  ])('loses %s, which is named', async (_, members, path) => {
    const { answer, metadata, ...rest } = await receive(to, { answer: 'x', ...members });
    expect([answer, metadata?.warnings]).toEqual(['x', [expect.stringMatching(`^${path}: `)]]);
    expect(rest).not.toHaveProperty(path.split('.'));
  });
  it('loses unknown members', async () => {
    const reply = { answer: 'x', sources: [{ ...SOURCE, secret: 'y' }], secret: 'y' };
    const { answer, sources = [], ...rest } = await receive(to, reply);
    expect([answer, sources]).toMatchObject(['x', [SOURCE]]);
    expect(JSON.stringify([sources, rest])).not.toContain('secret');
  });
});
