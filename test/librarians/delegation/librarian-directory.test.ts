import { expect, it, vi } from 'vitest';
import { LibrarianDirectory } from '../../../src/contract/core/librarian.ts';
import { createLibrarians } from '../../../src/librarians/delegation/librarian-directory.ts';
import { stopClocks } from './network.ts';

/** Librarians that describe themselves or fail, with the clock of their directory; work of `waitUntil` is collected. */
const start = (
  ids: string[],
  { routed, own = ids }: { own?: string[]; routed?: string[] } = {},
) => {
  const clock = { ms: 1_000_000 };
  const background: Promise<unknown>[] = [];
  const states = ids.map((id) => ({
    id,
    name: id,
    requests: 0,
    unavailable: undefined as string | undefined,
    answer: undefined as (() => Promise<Response>) | undefined,
  }));
  const targets = states.map((state) => {
    const fetch = async () => {
      state.requests += 1;
      if (state.answer !== undefined) return state.answer();
      const { id, name, unavailable } = state;
      const examples = Array.from({ length: 8 }, (_, at) => `Question ${at} about ${id}?`);
      const info = {
        id,
        name,
        description: `Knows ${id}.`,
        capabilities: ['kb:read'],
        unavailable,
        examples,
      };
      return Response.json({ ...info, access: 'signed', keys: [] });
    };
    return [state.id, { fetch }];
  });
  const librarians = createLibrarians({
    targets: Object.fromEntries(targets),
    own,
    routed,
    now: () => clock.ms,
  });
  const waitUntil = (work: Promise<unknown>) => void background.push(work);
  const routable = (withinMs = 10_000) => librarians.routable({ waitUntil, withinMs });
  return {
    librarians,
    states: states as [(typeof states)[0], ...typeof states],
    routable,
    idsOf: async () => (await routable()).map(({ id }) => id),
    listed: async () => (await librarians.list()).librarians,
    wait: (ms: number) => {
      clock.ms += ms;
    },
    /** Fetches what is due, in the background. */
    refresh: async (afterMs = 61_000) => {
      clock.ms += afterMs;
      await routable();
      await Promise.all(background.splice(0));
    },
  };
};

const never = () => new Promise<Response>(() => {});

it('returns descriptions with their examples, and the same array until something changes', async () => {
  const { routable, states, refresh } = start(['one', 'two']);
  const first = await routable();
  expect(first.map(({ id, examples }) => `${id} ${examples?.length}`)).toEqual(['one 8', 'two 8']);
  await refresh();
  expect(await routable()).toBe(first);
  states[0].name = 'One, renamed';
  await refresh();
  expect((await routable()).map(({ name }) => name)).toEqual(['One, renamed', 'two']);
});
it('asks each librarian once a minute, and answers from the cache meanwhile', async () => {
  const { routable, states, wait } = start(['one']);
  const [one] = states;
  for (let at = 0; at < 5; at += 1) await routable();
  wait(59_000);
  await routable();
  expect(one.requests).toBe(1);
  wait(1000);
  one.answer = never;
  for (let at = 0; at < 2; at += 1) expect(await routable()).toHaveLength(1);
  expect(one.requests).toBe(2);
});
it('keeps the last description of a librarian that is down, and retries soon', async () => {
  const { routable, states, refresh, listed } = start(['one']);
  await routable();
  states[0].answer = async () => new Response('no', { status: 503 });
  for (let at = 0; at < 2; at += 1) {
    await refresh();
    expect(await routable()).toHaveLength(1);
  }
  expect(await listed()).toContainEqual(expect.objectContaining({ id: 'one', health: 'down' }));
  states[0].answer = undefined;
  await refresh(5000);
  expect(await listed()).toContainEqual(expect.objectContaining({ id: 'one', health: 'ok' }));
});
it('does not route to a librarian that reports a missing data source', async () => {
  const { idsOf, librarians, states, refresh, listed } = start(['two', 'one']);
  states[0].unavailable = 'No database is set up';
  expect(await idsOf()).toEqual(['one']);
  expect(librarians.infoOf('two')?.name).toBe('two');
  const down = {
    id: 'two',
    health: 'down',
    unavailable: 'No database is set up',
    description: 'Knows two.',
  };
  expect(await listed()).toContainEqual(expect.objectContaining(down));
  states[0].unavailable = undefined;
  await refresh();
  expect(await idsOf()).toEqual(['two', 'one']);
});
it('does not wait for the fetch of another request', async () => {
  const { routable, states } = start(['one']);
  const late = Promise.withResolvers<Response>();
  states[0].answer = () => late.promise;
  const stuck = routable();
  states[0].answer = undefined;
  expect(await routable()).toHaveLength(1);
  late.resolve(new Response('late', { status: 503 }));
  expect(await stuck).toHaveLength(1);
});
it.each([
  [50, 50],
  [10_000, 1000],
])(
  'with %i ms left waits %i ms for a silent librarian, then continues without it',
  async (left, waited) => {
    stopClocks();
    const { routable, states } = start(['mute', 'one']);
    states[0].answer = never;
    let found: string[] | undefined;
    void routable(left).then((infos) => {
      found = infos.map(({ id }) => id);
    });
    await vi.advanceTimersByTimeAsync(waited - 1);
    expect(found).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(found).toEqual(['one']);
  },
);
it('fetches each description once for concurrent lists', async () => {
  const { listed, states } = start(Array.from({ length: 50 }, (_, at) => `host-${at}`));
  const lists = await Promise.all(Array.from({ length: 20 }, listed));
  expect(states.map(({ requests }) => requests)).toEqual(states.map(() => 1));
  for (const list of lists) expect(list.filter(({ health }) => health === 'ok')).toHaveLength(51);
});
it.each([
  ['no JSON', () => new Response('hello')],
  [
    'a description of another librarian',
    () => Response.json({ id: 'two', name: 'Two', access: 'signed', keys: [] }),
  ],
  ['a description without a name', () => Response.json({ id: 'one', access: 'signed', keys: [] })],
  ['a megabyte', () => new Response('"'.padEnd(2 ** 20, 'x'))],
  ['a redirect', () => Response.redirect('https://evil.example/', 302)],
  ['an error', () => Response.json({ error: { code: 'NOT_FOUND' } }, { status: 404 })],
  ['nothing in time', never],
])('treats a librarian that sends %s as down', async (_name, answer) => {
  const { routable, listed, states } = start(['one']);
  states[0].answer = async () => answer();
  expect(await routable()).toEqual([]);
  // Which rights it needs is not known, so that nothing may be made of its having none.
  const unavailable = expect.stringContaining('has not described itself');
  expect((await listed()).at(-1)).toEqual({ id: 'one', name: 'one', health: 'down', unavailable });
});
it('lists a partner that does not describe itself as one that may answer nevertheless', async () => {
  const { listed, states } = start(['partner'], { own: [] });
  states[0].answer = async () => new Response('hello');
  expect((await listed()).at(-1)).toEqual({ id: 'partner', name: 'partner', health: 'down' });
});
it('routes to external librarians only when the deployment names them', async () => {
  const named = { own: ['own'], routed: ['named', 'absent'] };
  const { librarians, idsOf, states } = start(['unlisted', 'own', 'named'], named);
  expect(await idsOf()).toEqual(['own', 'named']);
  expect([states[0].requests, librarians.ids]).toEqual([0, ['own', 'named', 'unlisted']]);
});
it('lists all librarians, the concierge first, with health and a few examples', async () => {
  const { librarians, states } = start(['two', 'one']);
  states[0].answer = () => Promise.reject(new Error('down'));
  const { librarians: all } = LibrarianDirectory.parse(await librarians.list());
  expect(all).toMatchObject([
    { id: 'concierge', health: 'ok', description: expect.any(String) },
    { id: 'two', health: 'down' },
    { id: 'one', health: 'ok', capabilities: ['kb:read'] },
  ]);
  expect(all[2]?.examples).toHaveLength(5);
});
