import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ASKED_WITH,
  type MemoryQuery,
  type MemoryStore,
  mayReadMemory,
} from '../../../src/memory/store/memory-store.ts';
import {
  DIMENSIONS,
  embeddedStore,
  newMemory,
  newWorkspace,
  upstashStore,
} from './memory-stores.ts';

/** What leaves is made from readable memories alone, scores, limits and cursors included: the same with and without the others. */
const WORDS = ['fan', 'pool', 'wallet', 'node', 'fee', 'merger', 'velociflange'];
const AUDIENCES = ['legal', 'sales', 'staff'];
const words = (minLength: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength, maxLength: 4 }).map((all) => all.join(' '));
const vector = fc.array(fc.integer({ min: -3, max: 3 }), {
  minLength: DIMENSIONS,
  maxLength: DIMENSIONS,
});
const few = fc.option(fc.constantFrom('a', 'b'), { nil: undefined });

const memory = fc.record({
  content: words(1),
  vector: fc.option(
    vector.filter((numbers) => numbers.some((number) => number !== 0)),
    { nil: undefined },
  ),
  askedWith: fc.option(fc.subarray(AUDIENCES, { minLength: 1 }), { nil: undefined }),
  conversation_id: few,
  person_id: few,
  type: fc.constantFrom('question', 'answer'),
  stored_by: fc.constantFrom('user:a', 'user:b'),
});
type Drawn = typeof memory extends fc.Arbitrary<infer T> ? T : never;

const query = fc.record({
  text: fc.option(words(1), { nil: undefined }),
  vector: fc.option(
    vector.filter((numbers) => numbers.some((number) => number !== 0)),
    { nil: undefined },
  ),
  conversationId: few,
  memoryTypes: fc.option(fc.constant(['question']), { nil: undefined }),
  limit: fc.integer({ min: 1, max: 6 }),
});

const DAY_MS = 86_400_000;
/** Turns of another day each, the hidden ones among them: where they stand must not be seen either. */
const memoryOf = (drawn: Drawn, at: number, workspace: string) => {
  const { vector: _, askedWith, ...fields } = drawn;
  return newMemory({
    ...fields,
    workspace_id: workspace,
    id: `m${at}`,
    created_at: new Date(Date.parse('2026-11-01T10:00:00.000Z') + at * 1000).toISOString(),
    expires_at: new Date(Date.now() + DAY_MS).toISOString(),
    ...(askedWith === undefined ? {} : { metadata: { [ASKED_WITH]: askedWith } }),
  });
};

const fill = async (
  store: MemoryStore,
  all: readonly (readonly [number, Drawn])[],
): Promise<string> => {
  const workspace = newWorkspace();
  for (const [at, drawn] of all)
    expect(await store.put(memoryOf(drawn, at, workspace), { vector: drawn.vector })).toBe(true);
  return workspace;
};

/** All that a caller with these audiences gets. */
const outputs = async (
  store: MemoryStore,
  workspace: string,
  asked: MemoryQuery,
  readableWith: string[],
) => {
  const found = await store.searchMemories(workspace, { ...asked, readableWith });
  const { conversationId, limit } = asked;
  const pages: unknown[] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = await store.list(workspace, { conversationId, limit, cursor, readableWith });
    pages.push({ ids: page.memories.map(({ id }) => id), next: page.next });
    cursor = page.next;
  }
  return {
    found: found.map(({ memory: { id, content }, score }) => ({ id, content, score })),
    pages,
    count: await store.count(workspace, { turns: true, readableWith }),
  };
};

describe.each([
  ['embedded', embeddedStore, 60],
  ['Upstash', upstashStore, 25],
] as const)('%s memories that the caller may not read', (_name, start, numRuns) => {
  let store: MemoryStore;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ store, stop } = await start());
  });
  afterAll(() => stop());

  it('change nothing that it gets', { timeout: 120_000 }, async () => {
    const all = fc.array(memory, { minLength: 1, maxLength: 14 });
    const property = fc.asyncProperty(
      all,
      fc.subarray(AUDIENCES),
      query,
      async (drawn, held, asked) => {
        const numbered = drawn.map((each, at) => [at, each] as const);
        const readable = numbered.filter(([at, each]) =>
          mayReadMemory(held, memoryOf(each, at, 'w')),
        );
        const seen = await outputs(store, await fill(store, numbered), asked, held);
        expect(seen).toEqual(await outputs(store, await fill(store, readable), asked, held));
      },
    );
    await fc.assert(property, { numRuns: Number(process.env.AUDIENCE_RUNS ?? numRuns), seed: 32 });
  });

  it('take no place of others in a search by vector, however near they are', async () => {
    const near = Array.from({ length: DIMENSIONS }, () => 1);
    const drawn = (at: number): Drawn => ({
      content: 'fan',
      vector: near,
      conversation_id: undefined,
      person_id: undefined,
      type: 'question',
      stored_by: 'user:a',
      askedWith: at < 150 ? ['legal'] : undefined,
    });
    const numbered = Array.from({ length: 160 }, (_, at) => [at, drawn(at)] as const);
    const asked = { vector: near, limit: 10 };
    const { found } = await outputs(store, await fill(store, numbered), asked, ['sales']);
    expect(found.map(({ id }) => id).toSorted()).toEqual(
      Array.from({ length: 10 }, (_, at) => `m${150 + at}`),
    );
  });
});
