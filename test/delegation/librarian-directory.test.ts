import { describe, expect, it } from 'vitest';
import { LibrarianDirectory } from '../../src/contract/librarian.ts';
import { createLibrarians } from '../../src/delegation/librarian-directory.ts';

/** A librarian that describes itself or fails, and counts requests. */
const librarian = (id: string, { name = id }: { name?: string } = {}) => {
  const state = {
    name,
    requests: 0,
    unavailable: undefined as string | undefined,
    answer: undefined as (() => Promise<Response>) | undefined,
  };
  const describe = () => ({
    ...{ id, name: state.name, description: `Knows ${id}.`, capabilities: ['kb:read'], access: 'signed', keys: [] },
    unavailable: state.unavailable,
    examples: Array.from({ length: 8 }, (_, at) => `Question ${at} about ${id}?`),
  });
  const target = {
    fetch: async () => {
      state.requests += 1;
      return state.answer === undefined ? Response.json(describe()) : state.answer();
    },
  };
  return { state, target };
};

/** A directory with its own clock; work of `waitUntil` is collected. */
const start = (ids: string[], { routed, own = ids }: { own?: string[]; routed?: string[] } = {}) => {
  const clock = { ms: 1_000_000 };
  const known = Object.fromEntries(ids.map((id) => [id, librarian(id)]));
  const background: Promise<unknown>[] = [];
  const librarians = createLibrarians({
    targets: Object.fromEntries(Object.entries(known).map(([id, { target }]) => [id, target])),
    own,
    routed,
    now: () => clock.ms,
  });
  const scope = { waitUntil: (work: Promise<unknown>) => void background.push(work) };
  const state = (id: string) => {
    const found = known[id];
    if (found === undefined) throw new Error(`no ${id}`);
    return found.state;
  };
  return {
    librarians,
    clock,
    state,
    routable: (withinMs = 10_000) => librarians.routable({ ...scope, withinMs }),
    settled: () => Promise.all(background.splice(0)),
  };
};

describe('createLibrarians()', () => {
  it('returns descriptions with their examples, and the same array until something changes', async () => {
    const { routable, state, clock, settled } = start(['one', 'two']);
    const first = await routable();
    expect(first.map(({ id, examples }) => [id, examples?.length])).toEqual([
      ['one', 8],
      ['two', 8],
    ]);
    clock.ms += 61_000;
    expect(await routable()).toBe(first);
    await settled();
    expect(await routable()).toBe(first);
    state('two').name = 'Two, renamed';
    clock.ms += 61_000;
    await routable();
    await settled();
    expect((await routable()).map(({ name }) => name)).toEqual(['one', 'Two, renamed']);
  });

  it('asks each librarian once a minute, and answers from the cache meanwhile', async () => {
    const { routable, state, clock, settled } = start(['one']);
    for (let at = 0; at < 5; at += 1) await routable();
    expect(state('one').requests).toBe(1);
    clock.ms += 59_000;
    await routable();
    expect(state('one').requests).toBe(1);
    clock.ms += 1000;
    state('one').answer = () => new Promise(() => {});
    expect(await routable()).toHaveLength(1);
    await routable();
    expect(state('one').requests).toBe(2);
    state('one').answer = undefined;
    await settled();
  });

  it('keeps the last description of a librarian that is down, and retries soon', async () => {
    const { routable, librarians, state, clock, settled } = start(['one']);
    await routable();
    state('one').answer = async () => new Response('no', { status: 503 });
    clock.ms += 61_000;
    await routable();
    await settled();
    expect(await routable()).toHaveLength(1);
    expect((await librarians.list()).librarians).toContainEqual(expect.objectContaining({ id: 'one', health: 'down' }));
    state('one').answer = undefined;
    clock.ms += 5000;
    await routable();
    await settled();
    expect((await librarians.list()).librarians).toContainEqual(expect.objectContaining({ id: 'one', health: 'ok' }));
  });

  it('does not route to a librarian that reports a missing data source', async () => {
    const { routable, librarians, state, clock, settled } = start(['one', 'two']);
    state('two').unavailable = 'No database is set up';
    expect((await routable()).map(({ id }) => id)).toEqual(['one']);
    expect(librarians.infoOf('two')?.name).toBe('two');
    expect((await librarians.list()).librarians.at(-1)).toMatchObject({
      ...{ id: 'two', health: 'down', unavailable: 'No database is set up', description: 'Knows two.' },
    });
    state('two').unavailable = undefined;
    clock.ms += 61_000;
    await routable();
    await settled();
    expect((await routable()).map(({ id }) => id)).toEqual(['one', 'two']);
  });

  it('does not wait for the fetch of another request', async () => {
    const { routable, state } = start(['one']);
    let release = () => {};
    state('one').answer = () =>
      new Promise((resolve) => {
        release = () => resolve(new Response('late', { status: 503 }));
      });
    const stuck = routable();
    state('one').answer = undefined;
    expect(await routable()).toHaveLength(1);
    release();
    expect(await stuck).toHaveLength(1);
  });

  it('waits no longer than the time of the question', async () => {
    const { routable, state } = start(['one', 'mute']);
    state('mute').answer = () => new Promise(() => {});
    const startedAt = performance.now();
    expect((await routable(50)).map(({ id }) => id)).toEqual(['one']);
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  it('fetches each description once for concurrent lists', async () => {
    const ids = Array.from({ length: 50 }, (_, at) => `host-${at}`);
    const { librarians, state } = start(ids);
    const lists = await Promise.all(Array.from({ length: 20 }, () => librarians.list()));
    expect(ids.map((id) => state(id).requests)).toEqual(ids.map(() => 1));
    expect(lists[0]?.librarians.filter(({ health }) => health === 'ok')).toHaveLength(51);
  });

  it('abandons a librarian that never answers after a second, and continues without it', async () => {
    const { routable, state } = start(['one', 'mute']);
    state('mute').answer = () => new Promise(() => {});
    const startedAt = performance.now();
    expect((await routable()).map(({ id }) => id)).toEqual(['one']);
    expect(performance.now() - startedAt).toBeLessThan(2000);
    expect((await routable()).map(({ id }) => id)).toEqual(['one']);
  });

  it.each([
    ['no JSON', () => new Response('hello')],
    ['a description of another librarian', () => Response.json({ id: 'two', name: 'Two', access: 'signed', keys: [] })],
    ['a description without a name', () => Response.json({ id: 'one', access: 'signed', keys: [] })],
    ['a megabyte', () => new Response('"'.padEnd(2 ** 20, 'x'))],
    ['a redirect', () => Response.redirect('https://evil.example/', 302)],
    ['an error', () => Response.json({ error: { code: 'NOT_FOUND' } }, { status: 404 })],
  ])('treats a librarian that sends %s as down', async (_name, answer) => {
    const { routable, librarians, state } = start(['one']);
    state('one').answer = async () => answer();
    expect(await routable()).toEqual([]);
    expect((await librarians.list()).librarians.at(-1)).toEqual({ id: 'one', name: 'one', health: 'down' });
  });

  it('routes to external librarians only when the deployment names them', async () => {
    const { librarians, routable, state } = start(['own', 'named', 'unlisted'], {
      own: ['own'],
      routed: ['named', 'absent'],
    });
    expect((await routable()).map(({ id }) => id)).toEqual(['own', 'named']);
    expect(state('unlisted').requests).toBe(0);
    expect(librarians.ids).toEqual(['own', 'named', 'unlisted']);
  });

  it('lists all librarians, the concierge first, with health and a few examples', async () => {
    const { librarians, state } = start(['one', 'two']);
    state('two').answer = () => Promise.reject(new Error('down'));
    const directory = LibrarianDirectory.parse(await librarians.list());
    expect(directory.librarians).toMatchObject([
      { id: 'concierge', health: 'ok', description: expect.any(String) },
      { id: 'one', health: 'ok', capabilities: ['kb:read'] },
      { id: 'two', health: 'down' },
    ]);
    expect(directory.librarians[1]?.examples).toHaveLength(5);
  });
});
