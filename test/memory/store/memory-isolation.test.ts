import * as fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import type { Memory } from '../../../src/contract/wire/memory.ts';
import { ContextEngine } from '../../../src/memory/context-engine/index.ts';
import { stemsOf } from '../../../src/memory/search-memories.ts';
import type { MemoryStore } from '../../../src/memory/store/memory-store.ts';
import { cosine } from '../../knowledge/vectors-for-test.ts';
import {
  DIMENSIONS,
  embeddedStore,
  eraseAll,
  newWorkspace,
  upstashStore,
} from './memory-stores.ts';

const WORKSPACES = 3;
/** Operations of a run. */
const LENGTH = 240;
/** A small set, so that ids are reused after deletions. */
const IDS = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'];
const WORDS = ['fan', 'pool', 'wallet', 'node', 'fee', 'led', 'dashboard', 'password'];
const FEW = ['a', 'b'];

const some = <T>(values: readonly T[], maxLength: number, minLength = 1) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength, maxLength });
const id = fc.constantFrom(...IDS);
const few = fc.option(fc.constantFrom(...FEW));
const vector = fc.option(
  fc
    .array(fc.integer({ min: -3, max: 3 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
    .filter((numbers) => numbers.some((number) => number !== 0)),
);
const named = <const Name extends string, Rest extends object>(
  weight: number,
  name: Name,
  rest: { [Key in keyof Rest]: fc.Arbitrary<Rest[Key]> },
) => ({ weight, arbitrary: fc.record(rest).map((each) => ({ name, ...each })) });

/** The next operation in one of the workspaces. All of them use the same ids, persons and conversations. */
const operation = fc.record({
  workspace: fc.nat(WORKSPACES - 1),
  what: fc.oneof(
    named(6, 'put', {
      id,
      words: some(WORDS, 4),
      vector,
      conversation: few,
      person: few,
      type: fc.constantFrom(...FEW),
      relatedTo: some(IDS, 2, 0),
    }),
    named(1, 'get', { id }),
    named(4, 'relations', { id }),
    named(2, 'delete', { id }),
    named(2, 'list', {
      conversation: few,
      person: few,
      type: few,
      limit: fc.integer({ min: 1, max: 4 }),
    }),
    named(4, 'search', { text: fc.option(some(WORDS, 3)), vector, conversation: few }),
    named(1, 'context', { text: some(WORDS, 3) }),
    named(1, 'erase', {
      by: fc.constantFrom('personId', 'conversationId'),
      value: fc.constantFrom(...FEW),
    }),
  ),
});
type Operation = (typeof operation extends fc.Arbitrary<infer T> ? T : never)['what'];
type Put = Extract<Operation, { name: 'put' }>;

interface Known {
  memory: Memory;
  vector: number[] | null;
  relations: string[];
}

type Wanted = string | null;

/** The expected content of a workspace, by the simplest code. */
const referenceWorkspace = () => {
  const known = new Map<string, Known>();
  const all = () => [...known.values()];
  return {
    known,
    remove: (id: string): boolean => {
      for (const other of all()) other.relations = other.relations.filter((to) => to !== id);
      return known.delete(id);
    },
    where: ({
      conversation,
      person,
      type,
    }: {
      conversation?: Wanted;
      person?: Wanted;
      type?: Wanted;
    }) =>
      all().filter(
        ({ memory }) =>
          (!conversation || memory.conversation_id === conversation) &&
          (!person || memory.person_id === person) &&
          (!type || memory.type === type),
      ),
    lexical: (text: string, { memory }: Known): number => {
      const weights = stemsOf(text).map((word) => {
        const count = all().filter((other) => stemsOf(other.memory.content).includes(word)).length;
        return { word, weight: Math.log(1 + (known.size - count + 0.5) / (count + 0.5)) };
      });
      const sum = (items: { weight: number }[]) =>
        items.reduce((total, { weight }) => total + weight, 0);
      return (
        sum(weights.filter(({ word }) => stemsOf(memory.content).includes(word))) / sum(weights)
      );
    },
    relatedIds: (id: string): string[] => [
      ...(known.get(id)?.relations ?? []),
      ...all().flatMap(({ memory, relations }) =>
        relations.filter((to) => to === id).map(() => memory.id),
      ),
    ],
  };
};
type Reference = ReturnType<typeof referenceWorkspace>;

const scoresOf = (
  reference: Reference,
  { text, vector, conversation }: Extract<Operation, { name: 'search' }>,
) => {
  const wanted = reference.where({ conversation });
  if (text === null && vector === null) return new Map(wanted.map(({ memory }) => [memory.id, 0]));
  const scores = new Map<string, number>();
  for (const each of wanted) {
    const cosineScore =
      vector === null || each.vector === null
        ? undefined
        : Math.max(0, cosine(vector, each.vector));
    const lexicalScore = text === null ? 0 : reference.lexical(text.join(' '), each);
    if (cosineScore === undefined && lexicalScore === 0) continue;
    scores.set(
      each.memory.id,
      vector === null ? lexicalScore : 1 - (1 - (cosineScore ?? 0)) * (1 - lexicalScore / 2),
    );
  }
  return scores;
};

const idsOf = (memories: Memory[]): string[] => memories.map(({ id }) => id).toSorted();

interface Place {
  store: MemoryStore;
  workspace: string;
  reference: Reference;
  step: number;
}

const run = async (what: Operation, place: Place): Promise<void> => {
  const { store, workspace, reference } = place;
  const { known } = reference;
  const own = (memory: Memory): Memory => {
    expect(memory).toEqual(known.get(memory.id)?.memory);
    return memory;
  };
  switch (what.name) {
    case 'put':
      return put(what, place);
    case 'get':
      expect(await store.get(workspace, what.id)).toEqual(known.get(what.id)?.memory);
      expect(await store.count(workspace, { turns: false })).toBe(known.size);
      return;
    case 'relations': {
      const related = await store.getMemoryRelationships(what.id, workspace);
      expect(idsOf(related.map(({ memory }) => own(memory)))).toEqual(
        reference.relatedIds(what.id).toSorted(),
      );
      const ids = ['unknown', ...IDS];
      const one = (id: string) => store.getMemoryRelationships(id, workspace);
      expect(await store.relationshipsOf(ids, workspace)).toEqual(await Promise.all(ids.map(one)));
      return;
    }
    case 'delete':
      expect(await store.delete(workspace, what.id)).toBe(reference.remove(what.id));
      return;
    case 'erase': {
      const { value } = what;
      const [of, by] =
        what.by === 'personId'
          ? [{ person: value }, { personId: value }]
          : [{ conversation: value }, { conversationId: value }];
      const gone = idsOf(reference.where(of).map(({ memory }) => memory));
      expect(idsOf(await eraseAll(store, workspace, by))).toEqual(gone);
      for (const id of gone) reference.remove(id);
      return;
    }
    case 'list': {
      const by = {
        conversationId: what.conversation ?? undefined,
        personId: what.person ?? undefined,
        type: what.type ?? undefined,
      };
      const seen: Memory[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list(workspace, { ...by, limit: what.limit, cursor });
        expect(page.memories.length).toBeLessThanOrEqual(what.limit);
        seen.push(...page.memories.map(own));
        cursor = page.next;
      } while (cursor !== undefined);
      const newestFirst = seen.map(({ created_at }) => created_at);
      expect(newestFirst).toEqual(newestFirst.toSorted().toReversed());
      expect(idsOf(seen)).toEqual(idsOf(reference.where(what).map(({ memory }) => memory)));
      return;
    }
    case 'search': {
      const { text, vector, conversation } = what;
      const query = {
        text: text?.join(' '),
        vector: vector ?? undefined,
        conversationId: conversation ?? undefined,
      };
      const found = await store.searchMemories(workspace, { limit: 100, ...query });
      for (const { memory } of found) own(memory);
      const expected = scoresOf(reference, what);
      expect(idsOf(found.map(({ memory }) => memory))).toEqual([...expected.keys()].toSorted());
      for (const { memory, score } of found)
        expect(score).toBeCloseTo(expected.get(memory.id) ?? -1, 5);
      const scores = found.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((one, other) => other - one));
      return;
    }
    case 'context': {
      const engine = new ContextEngine({ storageClient: store });
      const options = { limit: 100, includeRelationships: true, relationshipDepth: 3 };
      const built = await engine.buildContext(what.text.join(' '), workspace, options);
      if (!built.ok) throw new Error(built.error.type);
      for (const { memory, relationships = [] } of built.value.memories) {
        own(memory);
        for (const related of relationships) own(related.memory);
      }
    }
  }
};

const put = async (what: Put, { store, workspace, reference, step }: Place): Promise<void> => {
  const { known } = reference;
  const { id, words, conversation, person, type } = what;
  const memory: Memory = {
    id,
    workspace_id: workspace,
    type,
    // The text names the workspace, so that a memory of another workspace fails the comparison.
    content: `${words.join(' ')} (${workspace}, step ${step})`,
    confidence: 0.5,
    ...(conversation === null ? {} : { conversation_id: conversation }),
    ...(person === null ? {} : { person_id: person }),
    created_at: new Date(1_700_000_000_000 + step * 1000).toISOString(),
  };
  const relatedTo = what.relatedTo.map((memory_id) => ({ memory_id, type: 'supports' }));
  const first = known.get(id);
  const isPossible = first !== undefined || what.relatedTo.every((other) => known.has(other));
  const vector = (first ?? what).vector ?? undefined;
  // What is stored already keeps its words.
  const repeated = first && { ...first.memory, content: memory.content };
  expect(await store.put(repeated ?? memory, { relatedTo, vector })).toBe(isPossible);
  if (!isPossible || first !== undefined) return;
  known.set(id, { memory, vector: what.vector, relations: [...what.relatedTo] });
};

/** Runs the operations in order within each workspace, concurrently across workspaces, and compares the results. */
const runAll = async (
  store: MemoryStore,
  steps: { workspace: number; what: Operation }[],
): Promise<void> => {
  const newPlace = () => ({ store, workspace: newWorkspace(), reference: referenceWorkspace() });
  const places = Array.from({ length: WORKSPACES }, newPlace);
  const inWorkspace = async (place: (typeof places)[number], at: number): Promise<void> => {
    for (const [step, next] of steps.entries())
      if (next.workspace === at) await run(next.what, { ...place, step });
  };
  await Promise.all(places.map(inWorkspace));
  for (const place of places) {
    const { memories } = await store.list(place.workspace, { limit: 100 });
    expect(idsOf(memories)).toEqual([...place.reference.known.keys()].toSorted());
    for (const id of IDS) await run({ name: 'relations', id }, { ...place, step: 0 });
  }
};

it.each<[string, () => ReturnType<typeof embeddedStore>, number]>([
  ['embedded', embeddedStore, 12],
  // The vector index lags by a random number of operations, and still finds deleted vectors.
  ['Upstash', () => upstashStore({ indexingDelayMs: 10 }), 4],
])(
  'the %s memory store is a separate map for each workspace',
  { timeout: 240_000 },
  async (_, make, numRuns) => {
    const { store, stop } = await make();
    onTestFinished(stop);
    const steps = fc.array(operation, { minLength: LENGTH, maxLength: LENGTH });
    const isSeparate = fc.asyncProperty(steps, (all) => runAll(store, all));
    await fc.assert(isSeparate, { numRuns, seed: 20261121, endOnFailure: true });
  },
);
