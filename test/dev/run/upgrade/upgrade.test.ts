import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProduct } from '../../node-for-test.ts';
import { caller, type Looked, look, ticketsOf } from './look.ts';
import { startSurroundings } from './surroundings.ts';

const POLL = { timeout: 30_000, interval: 200 };
const HOUR_MS = 3_600_000;

type Recorded = Looked & { otherKey: string; recordedAt: number };

let folder: string;
let surroundings: Awaited<ReturnType<typeof startSurroundings>>;
let product: Awaited<ReturnType<typeof startProduct>>;
let before: Recorded;

const start = async () => {
  const args = ['--port', '0', '--state', join(folder, 'state'), '--kb', join(folder, 'kb'), '--no-helpdesk'];
  product = await startProduct(args, { env: surroundings.env });
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
    surroundings = await startSurroundings();
    surroundings.recover();
    await start();
  });
  afterAll(async () => {
    await product.stop();
    await surroundings.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('lacks nothing that was stored', async () => {
    const after = await look(caller(product.url, product.key), before.otherKey);
    expect(timeless(after)).toMatchObject(timeless(before));
    expect(after.memories.memories).toHaveLength(before.memories.memories.length);
    expect(product.output()).toMatch(/4 articles, .*\(0 new, \d+ changed, 0 removed\)/);
  });

  it('continues the work that was in progress', async () => {
    await expect
      .poll(async () => (await ticketsOf(caller(product.url, product.key))).map(({ tickets }) => tickets.length), POLL)
      .toEqual([2, 1, 0]);
    expect(surroundings.notes).toEqual([{ ticket: 'open', marker: expect.any(String) }]);
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

describe('a state that a newer version has written', () => {
  const SAID = 'a newer version of the product has written it';
  const writeAsNewer = (object: string) =>
    inDatabases(object, (database) => void database.exec('UPDATE schema_versions SET version = 99'));

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'constellation-newer-'));
    cpSync(new URL('kb', import.meta.url), join(folder, 'kb'), { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is refused by each store with what to do, and left as it is', async () => {
    const args = ['--port', '0', '--state', join(folder, 'state'), '--kb', join(folder, 'kb'), '--no-helpdesk'];
    const routes = ['/v1/workspaces/default/memories', '/v1/knowledge/gaps', '/v1/support/tickets'];
    const first = await startProduct(args);
    for (const route of routes) await caller(first.url, first.key)(route);
    await first.stop();
    for (const object of ['MemoryObject', 'GapsObject', 'DeskObject']) writeAsNewer(`constellation-*-${object}`);

    const second = await startProduct(args);
    for (const route of routes) {
      const problem = expect.objectContaining({
        ...{ code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining(SAID), recoverable: false },
        suggestion: expect.stringContaining('--fresh'),
      });
      expect(await second.get(route), route).toEqual({ error: problem });
    }
    const memory = { method: 'POST', body: { type: 'fact', content: 'A yak.' } };
    await expect(caller(second.url, second.key)('/v1/workspaces/default/memories', memory)).rejects.toThrow(SAID);
    await second.stop();

    writeAsNewer('constellation-library-LibraryObject');
    await expect(startProduct(args)).rejects.toThrow(
      new RegExp(`^it ended: [\\s\\S]*Cannot start the sync: .*${SAID}.*--fresh`),
    );
  });
});

/** Without what changes by itself: times, ports, open tickets, the edition that gaps were compared with. */
const timeless = ({ articles, text, taxonomy, memories, related, others, gaps, tickets }: Looked): object => {
  const ended = tickets.filter(({ id }) => !id.includes('open'));
  const all = { articles, text, taxonomy, memories, related, others, gaps, tickets: ended };
  return JSON.parse(
    JSON.stringify(all, (key, value) => {
      if (/_at$|_seen$|^(?:checked_edition|edition|last_updated|next_cursor|score|state)$/.test(key)) return undefined;
      // What a reader of a folder's article is shown was its text, and is its page.
      return key === 'url' ? String(value).replace(/^https?:\/\/[^/]+(?:\/api\/kb\/articles)?(?:\/kb)?/, '') : value;
    }),
  ) as object; // one went in
};
