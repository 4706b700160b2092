import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProduct } from '../../node-for-test.ts';
import { caller, readState, type StoredState, ticketsOf } from './read-state.ts';
import { startServices } from './services.ts';

const POLL = { timeout: 30_000, interval: 200 };
const HOUR_MS = 3_600_000;

type Recorded = StoredState & { otherKey: string; recordedAt: number };

let folder: string;
let services: Awaited<ReturnType<typeof startServices>>;
let product: Awaited<ReturnType<typeof startProduct>>;
let before: Recorded;

const start = async () => {
  const args = ['--port', '0', '--state', join(folder, 'state'), '--kb', join(folder, 'kb'), '--no-helpdesk'];
  product = await startProduct(args, { env: services.env });
};
const databases = (name: string) =>
  globSync(join(folder, `state/data/do/${name}/*.sqlite`)).filter((file) => !file.includes('metadata'));
const inDatabases = (name: string, work: (database: DatabaseSync) => void) => {
  for (const file of databases(name)) {
    const database = new DatabaseSync(file);
    work(database);
    database.close();
  }
};

/** As if the release had stopped an hour ago: turns live for 90 days and ended tickets for 30. */
const moveToNow = () => {
  const age = Math.floor(Date.now() - HOUR_MS - before.recordedAt);
  inDatabases('constellation-memory-MemoryObject', (database) => {
    const at = "strftime('%Y-%m-%dT%H:%M:%fZ', memory ->> '$.created_at', ? || ' seconds')";
    database.prepare(`UPDATE memories SET memory = json_set(memory, '$.created_at', ${at})`).run(age / 1000);
  });
  inDatabases('constellation-webhooks-TicketObject', (database) => {
    const columns = ['accepted_at', 'begun_at', 'changed_at', 'due_at', 'nudge_at'];
    database
      .prepare(`UPDATE jobs SET ${columns.map((column) => `${column} = ${column} + :age`).join(', ')}`)
      .run({ age });
  });
  inDatabases('constellation-webhooks-DeskObject', (database) => {
    const at = "strftime('%Y-%m-%dT%H:%M:%fZ', changed_at, ? || ' seconds')";
    database.prepare(`UPDATE tickets SET changed_at = ${at}`).run(age / 1000);
  });
};

describe.each(['97e41a9'])('the state of release %s, under this version', (commit) => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'constellation-upgrade-'));
    const archive = new URL(`state-${commit}.tar.gz`, import.meta.url).pathname;
    expect(spawnSync('tar', ['-xzf', archive, '-C', folder]).status).toBe(0);
    before = JSON.parse(readFileSync(join(folder, 'looked.json'), 'utf8')) as Recorded;
    moveToNow();
    services = await startServices();
    services.recover();
    await start();
  });
  afterAll(async () => {
    await product.stop();
    await services.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('contains everything that was stored', async () => {
    const after = await readState(caller(product.url, product.key), before.otherKey);
    expect(timeless(after)).toMatchObject(timeless(before));
    expect(after.memories.memories).toHaveLength(before.memories.memories.length);
    expect(product.output()).toMatch(/4 articles, .*\(0 new, \d+ changed, 0 removed\)/);
  });

  it('continues the work that was in progress', async () => {
    await expect
      .poll(async () => (await ticketsOf(caller(product.url, product.key))).map(({ tickets }) => tickets.length), POLL)
      .toEqual([2, 1, 0]);
    expect(services.notes).toEqual([{ ticket: 'open', marker: expect.any(String) }]);
  });

  it('is answered from', async () => {
    const call = caller(product.url, product.key);
    const ask = (query: string, more: object = {}) =>
      call('/v1/ask', { method: 'POST', body: { query, librarian: 'navigator', ...more } });
    expect(await ask('Where do ducks swim?')).toMatchObject({ answer: expect.stringContaining('northern pond') });
    expect(await ask('Who guards the yard at night?')).not.toMatchObject({
      answer: expect.stringContaining('Geese guard'),
    });
    const talk = { conversation_id: 'c-1', metadata: { person_id: 'ada' } };
    const next = await ask('And how much milk do they give?', talk);
    expect(next).toMatchObject({ metadata: { conversation: { turns: 1 } } });
    const analyze = (message: string) => call('/v1/support/analyze', { method: 'POST', body: { message } });
    expect(await analyze('How do I feed my bees?')).toMatchObject({
      intent_classification: { primary_intent: 'beekeeping' },
    });
    await analyze('Is there any subsidy for a windmill on our farm?');
    await expect
      .poll(async () => JSON.stringify(await call('/v1/knowledge/gaps?state=all')), POLL)
      .toContain('"count":2');
  });
});

describe('a state written by a newer version', () => {
  const PROBLEM = 'a newer version of the product has written it';
  const writeAsNewer = (object: string) =>
    inDatabases(object, (database) => void database.exec('UPDATE schema_versions SET version = 99'));

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'constellation-newer-'));
    cpSync(new URL('kb', import.meta.url), join(folder, 'kb'), { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is refused by each store with a suggestion, and not changed', async () => {
    const args = ['--port', '0', '--state', join(folder, 'state'), '--kb', join(folder, 'kb'), '--no-helpdesk'];
    const routes = ['/v1/workspaces/default/memories', '/v1/knowledge/gaps', '/v1/support/tickets'];
    const first = await startProduct(args);
    for (const route of routes) await caller(first.url, first.key)(route);
    await first.stop();
    for (const object of ['MemoryObject', 'GapsObject', 'DeskObject']) writeAsNewer(`constellation-*-${object}`);

    const second = await startProduct(args);
    for (const route of routes) {
      const problem = expect.objectContaining({
        ...{ code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining(PROBLEM), recoverable: false },
        suggestion: expect.stringContaining('--fresh'),
      });
      expect(await second.get(route), route).toEqual({ error: problem });
    }
    const memory = { method: 'POST', body: { type: 'fact', content: 'A yak.' } };
    await expect(caller(second.url, second.key)('/v1/workspaces/default/memories', memory)).rejects.toThrow(PROBLEM);
    await second.stop();

    writeAsNewer('constellation-library-LibraryObject');
    await expect(startProduct(args)).rejects.toThrow(
      new RegExp(`^it ended: [\\s\\S]*Cannot start the sync: .*${PROBLEM}.*--fresh`),
    );
  });
});

/** Without values that change by themselves: times, ports, open tickets, the edition that gaps were compared with. */
const timeless = ({ articles, text, taxonomy, memories, related, others, gaps, tickets }: StoredState): object => {
  const ended = tickets.filter(({ id }) => !id.includes('open'));
  const all = { articles, text, taxonomy, memories, related, others, gaps, tickets: ended };
  return JSON.parse(
    JSON.stringify(all, (key, value) => {
      if (/_at$|_seen$|^(?:checked_edition|edition|last_updated|next_cursor|score|state)$/.test(key)) return undefined;
      // The address of a folder's article was its text, and is now its page.
      return key === 'url' ? String(value).replace(/^https?:\/\/[^/]+(?:\/api\/kb\/articles)?(?:\/kb)?/, '') : value;
    }),
  ) as object; // one went in
};
