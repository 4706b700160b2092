import { expect, it, vi } from 'vitest';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import {
  createEditionReader,
  EditionUnavailable,
} from '../../../src/knowledge/edition/edition-reader.ts';
import {
  type EditionManifest,
  type EditionParts,
  libraryEditionSource,
  sha256Hex,
} from '../../../src/platform/storage/edition-storage.ts';
import { entryOf, IDENTITY } from '../search/edition-fixture.ts';

const published = async (number: number, text: string, workspace = 'default') => {
  const edition = `e${String(number).padStart(6, '0')}-00000000`;
  const entry = entryOf({ id: 'a', title: 'T', sections: [{ text }] });
  const whole = buildEdition([entry], { ...IDENTITY, id: edition, workspace });
  const bytes = [whole.slice(0, 100), whole.slice(100)];
  const partOf = async (part: Uint8Array<ArrayBuffer>, index: number) => ({
    key: `${edition}/${index}`,
    bytes: part.length,
    sha256: await sha256Hex(part),
  });
  const counts = {
    articles: 1,
    chunks: 1,
    bytes: whole.length,
    parts: await Promise.all(bytes.map(partOf)),
  };
  const manifest: EditionManifest = {
    edition,
    workspace,
    formatVersion: 1,
    createdAt: '',
    ...counts,
  };
  return { manifest, bytes };
};
const [OLD, NEW, NEWEST] = await Promise.all([
  published(1, 'old'),
  published(2, 'new'),
  published(3, 'newest'),
]);
const OTHER_WORKSPACE = await published(1, 'x', 'other');
const LARGE = await published(1, 'x'.repeat(20_000));

/** A library whose current edition a test sets; it records its requests. */
const fakeLibrary = (cheaper: EditionParts[] = []) => {
  const current: Awaited<ReturnType<typeof published>> | undefined = OLD;
  const library = { current, isDown: false, requests: [] as string[] };
  const source = libraryEditionSource(async (path) => {
    library.requests.push(path);
    if (library.isDown) throw new Error('unreachable');
    const part = /^\/editions\/(.*)\/parts\/(\d)$/.exec(path);
    const { current } = library;
    if (!current || (part && part[1] !== current.manifest.edition))
      return { status: 404, body: new Uint8Array() };
    const body = part
      ? current.bytes[Number(part[2])]
      : Uint8Array.from(new TextEncoder().encode(JSON.stringify(current.manifest)));
    return { status: 200, body: body ?? new Uint8Array() };
  }, cheaper);
  return { library, source };
};

const readerForTest = (options: { maxBytes?: number; cheaper?: EditionParts[] } = {}) => {
  const clock = { now: 0 };
  const late: Promise<unknown>[] = [];
  const reader = createEditionReader({ ...options, now: () => clock.now });
  const { library, source } = fakeLibrary(options.cheaper);
  const waitUntil = (work: Promise<unknown>) => void late.push(work);
  const read = () => reader.read({ workspace: 'default', source, waitUntil });
  const readText = async () => (await read()).edition.chunk(0).text;
  return {
    clock,
    reader,
    library,
    source,
    read,
    readText,
    settle: () => Promise.all(late.splice(0)),
  };
};

/** How often the library was asked for its current edition. */
const timesAsked = ({ requests }: { requests: string[] }) =>
  requests.filter((path) => path === '/editions/current').length;

it('revalidates at most once a second, in the background for three seconds, and then before it answers', async () => {
  const { clock, library, readText, settle } = readerForTest();
  expect(await readText()).toBe('old');
  await settle();
  Object.assign(library, { current: NEW, requests: [] });
  clock.now = 999;
  expect([await readText(), library.requests]).toEqual(['old', []]);
  clock.now = 2999;
  expect(await readText()).toBe('old');
  await settle();
  expect(await readText()).toBe('new');
  library.current = NEWEST;
  clock.now += 3000;
  expect(await readText()).toBe('newest');
});
it('loads an edition once for concurrent requests, and caches it while it is current', async () => {
  const { clock, library, read } = readerForTest();
  await Promise.all([1, 2, 3].map(read));
  clock.now = 5000;
  await read();
  const parts = [0, 1].map((part) => `/editions/e000001-00000000/parts/${part}`);
  expect(library.requests).toEqual(['/editions/current', ...parts, '/editions/current']);
});
it('fetches parts from a cheaper source, and missing or damaged ones from the library', async () => {
  const damaged = OLD.bytes[1]?.map((byte) => byte ^ 1);
  const cheaper = {
    readPart: async (_: unknown, part: number) => (part === 0 ? OLD.bytes[0] : damaged),
  };
  const { library, readText } = readerForTest({ cheaper: [cheaper] });
  expect(await readText()).toBe('old');
  expect(library.requests).toEqual(['/editions/current', '/editions/e000001-00000000/parts/1']);
});
it('keeps answering while the library is unreachable, and stops after five minutes', async () => {
  const { clock, library, read } = readerForTest();
  await read();
  library.isDown = true;
  clock.now = 299_999;
  expect(await read()).toMatchObject({ edition: { id: 'e000001-00000000' } });
  clock.now = 300_000;
  await expect(read()).rejects.toThrow(EditionUnavailable);
});
it.each<[string, object, string]>([
  ['nothing was published', { current: undefined }, 'no knowledge base has been synced'],
  ['the library is down', { isDown: true }, 'cannot be asked'],
  [
    'the edition is of another workspace',
    { current: OTHER_WORKSPACE },
    'belongs to another workspace',
  ],
  ['the edition is too large', { current: LARGE }, 'more than 20000'],
])('throws SERVICE_UNAVAILABLE when %s', async (_, state, problem) => {
  const { library, read } = readerForTest({ maxBytes: 20_000 });
  Object.assign(library, state);
  const message = expect.stringContaining(problem);
  await expect(read()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', message });
});
it('starts another load when a shared one fails', async () => {
  const { reader, library, source, read } = readerForTest();
  const failing = { ...source, readCurrent: () => Promise.reject(new Error('its time is up')) };
  const first = reader.read({ workspace: 'default', source: failing });
  const others = [1, 2].map(read);
  await expect(first).rejects.toThrow(EditionUnavailable);
  const ids = (await Promise.all(others)).map(({ edition }) => edition.id);
  expect(ids).toEqual(['e000001-00000000', 'e000001-00000000']);
  expect(timesAsked(library)).toBe(1);
});
it('waits once for five seconds for a load that hangs, and then starts another', async () => {
  vi.useFakeTimers();
  try {
    const { clock, reader, library, source, read } = readerForTest();
    const stuck = { ...source, readCurrent: () => new Promise<never>(() => {}) };
    void reader.read({ workspace: 'default', source: stuck });
    const waiting = [1, 2].map(read);
    await vi.advanceTimersByTimeAsync(5000);
    vi.useRealTimers();
    await Promise.all(waiting);
    expect(timesAsked(library)).toBe(1);
    // No request waits for the hanging load any more, although the edition is stale.
    clock.now = 10_000;
    await read();
    expect(timesAsked(library)).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});
it('evicts the least recently read workspace when the editions exceed the limit', async () => {
  const { reader, clock } = readerForTest({ maxBytes: 60_000 });
  const sources = await Promise.all(
    ['one', 'two', 'three'].map(async (workspace) => {
      const { library, source } = fakeLibrary();
      library.current = await published(1, 'x'.repeat(20_000), workspace);
      return { workspace, library, source };
    }),
  );
  for (const { workspace, source } of sources) await reader.read({ workspace, source });
  clock.now = 500;
  for (const { library } of sources) library.requests = [];
  for (const { workspace, source } of sources.toReversed())
    await reader.read({ workspace, source });
  expect(sources.map(({ library }) => library.requests.length > 0)).toEqual([true, false, false]);
});
