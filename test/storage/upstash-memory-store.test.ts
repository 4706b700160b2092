import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Memory } from '../../src/contract/memory.ts';
import { stemsOf } from '../../src/memory/search-memories.ts';
import { encodeText, shortHash } from '../../src/storage/memory-store.ts';
import { describeUpstashFaults } from './describe-upstash-faults.ts';
import { eraseAll, newMemory, newWorkspace, pointing, upstashStore } from './memory-stores.ts';

let made: Awaited<ReturnType<typeof upstashStore>>;
let workspace: string;
let nowMs: number;

beforeAll(async () => {
  made = await upstashStore({ indexingDelayMs: Number.POSITIVE_INFINITY, timeoutMs: 2000, now: () => nowMs });
});
afterAll(() => made?.stop());
beforeEach(() => {
  workspace = newWorkspace();
  nowMs = Date.UTC(2026, 10, 1);
});
afterEach(() => {
  made.redis.faults.none();
  made.vector.faults.none();
});

const put = async (changes: Partial<Memory> = {}, vector?: number[]): Promise<Memory> => {
  const memory = newMemory({ workspace_id: workspace, ...changes });
  expect(await made.store.put(memory, { vector })).toBe(true);
  return memory;
};

const erasePerson = () => eraseAll(made.store, workspace, { personId: 'p' });

const found = async (vector: number[]): Promise<string[]> => {
  const results = await made.store.searchMemories(workspace, { vector, limit: 10 });
  return results.map(({ memory }) => memory.id);
};

/** Sends a request to Redis or the vector index directly. */
const send = async (service: { url: string; token: string }, path: string, body: unknown): Promise<unknown> => {
  const headers = { authorization: `Bearer ${service.token}` };
  const response = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return ((await response.json()) as { result: unknown }).result;
};
const command = (...words: (string | number)[]) => send(made.redis, '', words);

/** All keys of the workspace. */
const keys = async (): Promise<string[]> => ((await command('KEYS', `memory:${workspace}:*`)) as string[]).toSorted();

/** All ids in the workspace's vector index, indexed or not. */
const vectors = async (): Promise<string[]> => {
  const body = { cursor: '0', limit: 100 };
  const range = await send(made.vector, `/range/memory_${workspace}`, body);
  return ((range as { vectors?: { id: string }[] } | undefined)?.vectors ?? []).map(({ id }) => id);
};
/** Upserts a vector directly, like a delayed request. */
const upsertLate = ({ id }: Memory) =>
  send(made.vector, `/upsert/memory_${workspace}`, [{ id: encodeText(id), vector: pointing(1) }]);

const DECODINGS = ['base64url', 'base64', 'hex'] as const;
const decoded = (text: string, form: (typeof DECODINGS)[number]): string => Buffer.from(text, form).toString('latin1');

describe('upstashMemoryStore() with an index that lags', () => {
  it('finds a new memory by vector before and after it is indexed', async () => {
    const memory = await put({}, pointing(1));
    expect(await found(pointing(1))).toEqual([memory.id]);
    made.vector.finishIndexing();
    expect(await found(pointing(1))).toEqual([memory.id]);
  });
  it('does not return a deleted memory while the index still finds its vector', async () => {
    const memory = await put({}, pointing(1));
    const kept = await put({}, pointing(0.5, 1));
    made.vector.finishIndexing();
    expect(await made.store.delete(workspace, memory.id)).toBe(true);
    expect(await found(pointing(1))).toEqual([kept.id]);
  });
  it('returns enough memories when the first hits were all removed', async () => {
    const gone = [];
    for (let index = 0; index < 60; index++) gone.push(await put({ person_id: 'p' }, pointing(1, index / 1000)));
    const kept = await put({}, pointing(1, 1));
    made.vector.finishIndexing();
    await erasePerson();
    // The state after some minutes, when the memory is only in the index.
    await command('DEL', `memory:${workspace}:fresh`);
    expect(await found(pointing(1))).toEqual([kept.id]);
  });
  it('ignores the vector of an earlier memory with the same id', async () => {
    const memory = await put({ id: 'same' }, pointing(1));
    made.vector.finishIndexing();
    await made.store.delete(workspace, memory.id);
    await put({ id: 'same', created_at: '2026-11-02T10:00:00.000Z' });
    expect(await found(pointing(1))).toEqual([]);
  });
});

describe('upstashMemoryStore() when a service fails', () => {
  it('stores a memory once when an interrupted call is repeated', async () => {
    for (const service of ['redis', 'vector'] as const) {
      for (const executed of [true, false]) {
        const memory = newMemory({ workspace_id: workspace, content: `Cut off at ${service}.` });
        // Both attempts of the first call.
        made[service].faults.next(2, { kind: 'reset', executed });
        await expect(made.store.put(memory, { vector: pointing(1) })).rejects.toMatchObject({ reason: 'unavailable' });
        expect(await made.store.put(memory, { vector: pointing(1) })).toBe(true);
        const { memories } = await made.store.list(workspace, { limit: 10 });
        expect(memories.filter(({ id }) => id === memory.id)).toHaveLength(1);
        expect(await vectors()).toContain(encodeText(memory.id));
      }
    }
  });
  it('finds a memory by its words when its vector could not be stored', async () => {
    const memory = newMemory({ workspace_id: workspace, content: 'A zeppelin.' });
    made.vector.faults.always({ kind: 'status', status: 500 });
    await expect(made.store.put(memory, { vector: pointing(1) })).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await made.store.put(memory, {})).toBe(true);
    const results = await made.store.searchMemories(workspace, { text: 'zeppelin', limit: 1 });
    expect(results[0]?.memory).toEqual(memory);
  });
  it('hides erased memories while their vectors remain, and deletes the vectors when the call is repeated', async () => {
    await put({ person_id: 'p' }, pointing(1));
    await put({ person_id: 'p' }, pointing(1));
    made.vector.finishIndexing();
    made.vector.faults.always({ kind: 'html-502' }, /^\/delete/);
    await expect(erasePerson()).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await found(pointing(1))).toEqual([]);
    expect(await made.store.count(workspace, { turns: false })).toBe(0);
    expect(await vectors()).toHaveLength(2);
    made.vector.faults.none();
    expect(await erasePerson()).toEqual([]);
    expect(await vectors()).toEqual([]);
  });
  it('deletes the remaining vectors of an erasure with the next removal', async () => {
    const memory = await put({}, pointing(1));
    made.vector.faults.next(2, { kind: 'reset' }, /^\/delete/);
    await expect(made.store.delete(workspace, memory.id)).rejects.toMatchObject({ reason: 'unavailable' });
    await made.store.delete(workspace, 'another');
    expect(await vectors()).toEqual([]);
  });
  it('deletes a vector that arrived after its memory was erased, once no upsert can be in flight', async () => {
    const memory = await put({ person_id: 'p' }, pointing(1));
    await erasePerson();
    // An upsert after the timeout of the client.
    await upsertLate(memory);
    nowMs += 100_000;
    await put({}, pointing(0, 1));
    expect(await vectors()).toContain(encodeText(memory.id));
    nowMs += 81_000;
    const kept = await put({}, pointing(0, 1));
    expect(await vectors()).toContain(encodeText(kept.id));
    expect(await vectors()).not.toContain(encodeText(memory.id));
  });
  it('keeps the vector of a memory with the id of an erased one', async () => {
    await put({ id: 'same' }, pointing(1));
    await made.store.delete(workspace, 'same');
    await put({ id: 'same', created_at: '2026-11-02T10:00:00.000Z' }, pointing(1));
    nowMs += 400_000;
    await made.store.erase(workspace, []);
    expect(await vectors()).toEqual([encodeText('same')]);
  });
  it('returns the removed memories when the first reply was lost', async () => {
    const memories = [];
    for (let index = 0; index < 10; index++) memories.push(await put({ person_id: 'p' }));
    const ids = memories.map(({ id }) => id);
    made.redis.faults.next(1, { kind: 'reset', executed: true });
    expect(await made.store.delete(workspace, ids[0] ?? '')).toBe(true);
    made.redis.faults.next(1, { kind: 'reset', executed: true });
    expect((await made.store.erase(workspace, ids)).toSorted()).toEqual(ids.slice(1).toSorted());
    expect(await made.store.delete(workspace, ids[0] ?? '')).toBe(false);
  });
});

describeUpstashFaults('The memory store in Upstash Redis', {
  server: () => made.redis,
  calls: (access) => {
    const store = made.storeAt(access);
    return {
      searchMemories: (signal) => store.searchMemories('w', { text: 'a secret word', limit: 10 }, { signal }),
      get: (signal) => store.get('w', 'secret-id', { signal }),
    };
  },
  secrets: ['secret'],
});

const altered = (changes: object) => (record: string) => JSON.stringify({ ...JSON.parse(record), ...changes });
it.each<[string, (record: string) => string]>([
  ['cut off', (record) => record.slice(0, 40)],
  ['without members', () => '{}'],
  ['of an older shape', altered({ confidence: 'high' })],
  ['of another workspace', altered({ workspace_id: 'other' })],
  ['not an object', () => '7'],
])(
  'upstashMemoryStore() with damaged records returns all other memories, and erases the damaged one: %s',
  async (_, damage) => {
    const kept = await put({ content: 'A yak grazes' }, pointing(1));
    const damaged = await put({ content: 'A yak yak walks', person_id: 'p' }, pointing(1));
    const third = newMemory({ workspace_id: workspace, content: 'Yaks' });
    const relatedTo = [damaged, kept].map(({ id }) => ({ memory_id: id, type: 'follows' }));
    expect(await made.store.put(third, { relatedTo })).toBe(true);
    const key = `memory:${workspace}:record:${encodeText(damaged.id)}`;
    await command('SET', key, damage((await command('GET', key)) as string));
    const lines = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    onTestFinished(() => lines.mockRestore());
    const idsFor = async (query: object) =>
      (await made.store.searchMemories(workspace, { limit: 9, ...query })).map(({ memory }) => memory.id);
    const others = [kept.id, third.id].toSorted();
    for (const indexing of [() => {}, () => made.vector.finishIndexing()]) {
      indexing();
      for (const query of [{ text: 'yak' }, { vector: pointing(1), text: 'yak' }, {}])
        expect((await idsFor(query)).toSorted(), JSON.stringify(query)).toEqual(others);
      expect(await idsFor({ vector: pointing(1) })).toEqual([kept.id]);
    }
    // It takes no place of another.
    const [best] = await idsFor({ text: 'yak walks', limit: 1 });
    expect(others).toContain(best);
    const { memories } = await made.store.list(workspace, { limit: 9 });
    expect(memories.map(({ id }) => id).toSorted()).toEqual(others);
    expect(await made.store.get(workspace, damaged.id)).toBeUndefined();
    const [related] = await made.store.relationshipsOf([third.id], workspace);
    expect(related?.map(({ memory }) => memory.id)).toEqual([kept.id]);
    const reported = lines.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('"fault"'));
    expect(reported[0]).toMatch(/"where":"stored memory".*"cause":"a record is (?:damaged|of another workspace)"/);
    expect(reported.join()).not.toMatch(/yak/i);
    expect(await made.store.erase(workspace, [damaged.id])).toEqual([damaged.id]);
    expect((await keys()).filter((each) => each.includes(encodeText(damaged.id)))).toEqual([]);
  },
);

describe('upstashMemoryStore() in Redis', () => {
  it('sends a script once and its hash afterwards, without headers of the SDK', async () => {
    await command('SCRIPT', 'FLUSH');
    made.redis.forgetRequests();
    expect(await made.store.count(workspace, { turns: false })).toBe(0);
    expect(await made.store.count(workspace, { turns: false })).toBe(0);
    const sent = made.redis.requests.map(({ body }) => (JSON.parse(body) as string[])[0]);
    expect(sent).toEqual(['evalsha', 'eval', 'evalsha']);
    const names = made.redis.requests.flatMap(({ headers }) => Object.keys(headers));
    expect(names.filter((name) => name.startsWith('upstash-'))).toEqual([]);
  });
  it('leaves no data when a person is erased', async () => {
    const first = await put({ person_id: 'p', conversation_id: 'c' }, pointing(1));
    const second = newMemory({ workspace_id: workspace, person_id: 'p' });
    await made.store.put(second, { relatedTo: [{ memory_id: first.id, type: 'supports' }] });
    await erasePerson();
    // Remaining: the outcome of the call for a minute, and the removed vectors while an upsert may be in flight.
    expect((await keys()).filter((key) => !/:(outcome:[0-9a-f-]{36}|removed)$/.test(key))).toEqual([]);
    expect(await vectors()).toEqual([]);
    nowMs += 181_000;
    await made.store.erase(workspace, []);
    expect((await keys()).filter((key) => !/:outcome:[0-9a-f-]{36}$/.test(key))).toEqual([]);
    for (const key of await keys()) {
      expect(await command('TTL', key)).toBeGreaterThan(0);
      expect(await command('TTL', key)).toBeLessThanOrEqual(60);
    }
  });
  it('puts no text, type, person or conversation into a key', async () => {
    const ids = { person_id: 'ann@example.com', conversation_id: 'chat*?' };
    await put({ content: 'Zeppelin espresso', type: 'gossip', ...ids }, pointing(1));
    const all = await keys();
    expect(all.join('\n')).toMatch(/^[A-Za-z0-9_:\n-]+$/);
    expect(all.filter((key) => /:(person|conversation|type|word):/.test(key))).toHaveLength(5);
    // As stored, and in every reversible encoding.
    const read = all
      .flatMap((key) => key.split(':'))
      .flatMap((part) => [part, ...DECODINGS.map((form) => decoded(part, form))]);
    expect(read.join('\n')).not.toMatch(/zeppelin|espresso|gossip|example|chat/i);
  });
});

describe('upstashMemoryStore() with words in 100,000 memories', () => {
  const COMMON = 'alpha bravo carbon delta echo foxtrot golf hotel india juliet';
  /** Stores the given number of old memories with all words whose keys are passed. */
  const FILL = `for at = 1, ARGV[1] do
    local place = string.format('0621%011d:0900000:t:x', at)
    redis.call('ZADD', 'memory:large:all', 0, place)
    for _, word in ipairs(KEYS) do redis.call('SADD', word, place) end
  end`;
  /** 100,000 memories with ten common words, older than those of the tests. */
  beforeAll(async () => {
    const words = stemsOf(COMMON).map((word) => `memory:large:word:${shortHash(word)}`);
    await command('EVAL', FILL, words.length, ...words, 100_000);
    expect(await command('SCARD', words[0] ?? '')).toBe(100_000);
    for (const [id, content, changes] of [
      ['common', COMMON, {}],
      ['rare', 'A zeppelin.', {}],
      ['both', 'A zeppelin, alpha and bravo.', {}],
      ['old', 'alpha', { created_at: '0001-01-01T00:00:00.000Z', conversation_id: 'c' }],
    ] as const)
      await put({ id, workspace_id: 'large', content, ...changes });
  });
  it.each([
    ['selects candidates by rarer words, and scores them by common ones', 'zeppelin alpha bravo', {}, ['both', 'rare']],
    ['finds the newest memories when all words are common', 'alpha', { limit: 2 }, ['both', 'common']],
    ['finds the newest memory by ten common words', COMMON, { limit: 1 }, ['common']],
    ['finds old memories of a conversation by common words', 'alpha bravo', { conversationId: 'c' }, ['old']],
    ['finds old memories of a conversation by any word', 'zeppelin alpha', { conversationId: 'c' }, ['old']],
  ])('%s', async (_, text, more, ids) => {
    const results = await made.store.searchMemories('large', { text, limit: 5, ...more });
    expect(results.map(({ memory }) => memory.id)).toEqual(ids);
  });
  it('looks up a bounded number of candidates when all words are common', async () => {
    /** How many times Redis has run these commands. */
    const callsOf = async (...names: string[]) => {
      const statistics = String(await command('INFO', 'commandstats'));
      return names.map((name) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(statistics)?.[1] ?? 0));
    };
    const before = await callsOf('zrangestore', 'zinterstore');
    await made.store.searchMemories('large', { text: COMMON, limit: 5 });
    const after = await callsOf('zrangestore', 'zinterstore');
    // The newest 5,000 memories with two words each, instead of 1,000,000 entries.
    expect(after.map((calls, at) => calls - (before[at] ?? 0))).toEqual([1, 2]);
  });
});
