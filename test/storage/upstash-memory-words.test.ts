import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Memory } from '../../src/contract/memory.ts';
import { stemsOf } from '../../src/memory/stems-of.ts';
import { shortHash } from '../../src/storage/memory-place.ts';
import { newMemory } from './describe-memory-store.ts';
import { upstashStore } from './memory-stores.ts';

const COMMON = 'alpha bravo carbon delta echo foxtrot golf hotel india juliet'.split(' ');
const MANY = 100_000;
const AT_ONCE = 20_000;

let made: Awaited<ReturnType<typeof upstashStore>>;

const command = async (...words: (string | number)[]): Promise<void> => {
  const { redis } = made;
  const headers = { authorization: `Bearer ${redis.token}` };
  const response = await fetch(redis.url, { method: 'POST', headers, body: JSON.stringify(words) });
  expect(response.status).toBe(200);
};

const put = async (id: string, content: string, changes: Partial<Memory> = {}): Promise<void> => {
  expect(await made.store.put(newMemory({ id, workspace_id: 'large', content, ...changes }), {})).toBe(true);
};
const search = async (text: string, more: object = {}) =>
  (await made.store.searchMemories('large', { text, limit: 5, ...more })).map(({ memory }) => memory.id);

/** As if 100,000 memories shared ten words, all of them from before those that are stored here. */
beforeAll(async () => {
  made = await upstashStore();
  for (let from = 0; from < MANY; from += AT_ONCE) {
    const places = Array.from({ length: AT_ONCE }, (_, at) => `0621${String(from + at).padStart(11, '0')}:0900000:t:x`);
    await command('ZADD', 'memory:large:all', ...places.flatMap((place) => [0, place]));
    for (const word of COMMON.flatMap(stemsOf))
      await command('SADD', `memory:large:word:${shortHash(word)}`, ...places);
  }
  await put('common', COMMON.join(' '));
  await put('rare', 'A zeppelin.');
  await put('both', 'A zeppelin, alpha and bravo.');
  await put('old', 'alpha', { created_at: '0001-01-01T00:00:00.000Z', conversation_id: 'c' });
}, 60_000);
afterAll(() => made?.stop());

describe('upstashMemoryStore() with words that very many memories have', () => {
  it('finds the memories of the rarer words, and counts the commoner ones for these', async () => {
    expect(await search('zeppelin alpha bravo')).toEqual(['both', 'rare']);
  });

  it('finds the newest where all words are common', async () => {
    expect(await search('alpha', { limit: 2 })).toEqual(['both', 'common']);
    expect((await search(COMMON.join(' ')))[0]).toBe('common');
  });

  it('finds by a common word what is in a conversation, however long ago', async () => {
    expect(await search('alpha bravo', { conversationId: 'c' })).toEqual(['old']);
    expect(await search('zeppelin alpha bravo', { conversationId: 'c' })).toEqual(['old']);
  });

  it('holds up nobody else', async () => {
    await made.store.put(newMemory({ workspace_id: 'small' }), {});
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const began = performance.now();
      await search(COMMON.join(' '));
      times.push(performance.now() - began);
    }
    // A fifth of what it takes to go through all of them; the best, as the machine may have much else to do.
    expect(Math.min(...times)).toBeLessThan(100);
    const searches = Array.from({ length: 8 }, () => search(COMMON.join(' ')));
    expect(await made.store.count('small')).toBe(1);
    await Promise.all(searches);
  });
});
