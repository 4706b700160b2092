import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../folder-for-test.ts';
import { startProduct } from '../../node-for-test.ts';
import { type Call, caller, readState, type StoredState, ticketsOf } from './read-state.ts';
import { startServices } from './services.ts';

const POLL = { timeout: 60_000, interval: 200 };
const HOUR_MS = 3_600_000;

type Recorded = StoredState & { otherKey: string; recordedAt: number };

let services: Awaited<ReturnType<typeof startServices>>;
beforeAll(async () => {
  services = await startServices();
  services.recover();
});
afterAll(() => services.stop());

/** The recorded state of a release in a folder, and what it held. */
const unpack = (folder: string, commit: string): Recorded => {
  const archive = new URL(`state-${commit}.tar.gz`, import.meta.url).pathname;
  expect(spawnSync('tar', ['-xzf', archive, '-C', folder]).status).toBe(0);
  return JSON.parse(readFileSync(join(folder, 'looked.json'), 'utf8')) as Recorded;
};
const start = (folder: string) => {
  const args = [
    '--port',
    '0',
    '--state',
    join(folder, 'state'),
    '--kb',
    join(folder, 'kb'),
    '--moved',
    '--no-helpdesk',
  ];
  return startProduct(args, { env: services.env });
};
const inDatabases = (folder: string, name: string, work: (database: DatabaseSync) => void) => {
  const files = globSync(join(folder, `state/data/do/${name}/*.sqlite`)).filter(
    (file) => !file.includes('metadata'),
  );
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const database = new DatabaseSync(file);
    work(database);
    database.close();
  }
};

/** As if the release had stopped an hour ago: turns live for 90 days and ended tickets for 30. */
const moveToNow = (folder: string, { recordedAt }: Recorded) => {
  const age = Math.floor(Date.now() - HOUR_MS - recordedAt);
  inDatabases(folder, 'constellation-memory-MemoryObject', (database) => {
    const at = "strftime('%Y-%m-%dT%H:%M:%fZ', memory ->> '$.created_at', ? || ' seconds')";
    database
      .prepare(`UPDATE memories SET memory = json_set(memory, '$.created_at', ${at})`)
      .run(age / 1000);
  });
  inDatabases(folder, 'constellation-webhooks-TicketObject', (database) => {
    const columns = ['accepted_at', 'begun_at', 'changed_at', 'due_at', 'nudge_at'];
    database
      .prepare(
        `UPDATE jobs SET ${columns.map((column) => `${column} = ${column} + :age`).join(', ')}`,
      )
      .run({ age });
  });
  inDatabases(folder, 'constellation-webhooks-DeskObject', (database) => {
    const at = "strftime('%Y-%m-%dT%H:%M:%fZ', changed_at, ? || ' seconds')";
    database.prepare(`UPDATE tickets SET changed_at = ${at}`).run(age / 1000);
  });
};

describe.each(['97e41a9'])('the state of release %s, under this version', (commit) => {
  const folder = temporaryFolder();
  let product: Awaited<ReturnType<typeof startProduct>>;
  let before: Recorded;
  let call: Call;
  beforeAll(async () => {
    before = unpack(folder, commit);
    moveToNow(folder, before);
    product = await start(folder);
    call = caller(product.url, product.key);
  });
  afterAll(() => product.stop());

  it('contains everything that was stored', async () => {
    const after = await readState(call, before.otherKey);
    expect(timeless(after)).toMatchObject(timeless(before));
    expect(after.memories.memories).toHaveLength(before.memories.memories.length);
    expect(product.output()).toMatch(/4 articles, .*\(0 new, \d+ changed, 0 removed\)/);
  });
  it('continues the work that was in progress', async () => {
    const counts = async () => (await ticketsOf(call)).map(({ tickets }) => tickets.length);
    await expect.poll(counts, POLL).toEqual([2, 1, 0]);
    expect(services.notes).toEqual([{ ticket: 'open', marker: expect.any(String) }]);
  });
  it('is answered from', async () => {
    const ask = (query: string, more: object = {}) =>
      call('/v1/ask', { method: 'POST', body: { query, librarian: 'navigator', ...more } });
    expect(await ask('Where do ducks swim?')).toMatchObject({
      answer: expect.stringContaining('northern pond'),
    });
    const deleted = expect.stringContaining('Geese guard');
    expect(await ask('Who guards the yard at night?')).not.toMatchObject({ answer: deleted });
    const talk = { conversation_id: 'c-1', metadata: { person_id: 'ada' } };
    const next = await ask('And how much milk do they give?', talk);
    expect(next).toMatchObject({ metadata: { conversation: { turns: 1 } } });
    const analyze = (message: string) =>
      call('/v1/support/analyze', { method: 'POST', body: { message } });
    const intent_classification = { primary_intent: 'beekeeping' };
    expect(await analyze('How do I feed my bees?')).toMatchObject({ intent_classification });
    // A gap is stored after the reply.
    const gapsNow = async () => {
      await ask('Is there any subsidy for a windmill on our farm?');
      return JSON.stringify(await call('/v1/knowledge/gaps?state=all'));
    };
    await expect.poll(gapsNow, POLL).toMatch(/"count":(?:[2-9]|\d\d)/);
  });
  it('is refused by each store with a suggestion, and not changed, once a newer version has written it', {
    timeout: 300_000,
  }, async () => {
    const PROBLEM = 'a newer version of the product has written it';
    const writeAsNewer = (object: string) =>
      inDatabases(folder, `constellation-*-${object}`, (database) =>
        database.exec('UPDATE schema_versions SET version = 99'),
      );
    // Every store has opened its database.
    await readState(call, before.otherKey);
    await product.stop();
    for (const object of ['MemoryObject', 'GapsObject', 'DeskObject']) writeAsNewer(object);
    product = await start(folder);
    for (const route of [
      '/v1/workspaces/default/memories',
      '/v1/knowledge/gaps',
      '/v1/support/tickets',
    ]) {
      const message = expect.stringContaining(PROBLEM);
      const error = { code: 'SERVICE_UNAVAILABLE', message, recoverable: false };
      const suggestion = expect.stringContaining('--fresh');
      expect(await product.get(route), route).toEqual({
        error: expect.objectContaining({ ...error, suggestion }),
      });
    }
    const memory = { method: 'POST', body: { type: 'fact', content: 'A yak.' } };
    const written = caller(product.url, product.key)('/v1/workspaces/default/memories', memory);
    await expect(written).rejects.toThrow(PROBLEM);
    await product.stop();

    writeAsNewer('LibraryObject');
    const refused = new RegExp(`^it ended: [\\s\\S]*Cannot start the sync: .*${PROBLEM}.*--fresh`);
    await expect(start(folder)).rejects.toThrow(refused);
  });
});

/** Without values that change by themselves: times, ports, open tickets, the edition that gaps were compared with. */
const timeless = ({
  articles,
  text,
  taxonomy,
  memories,
  related,
  others,
  gaps,
  tickets,
}: StoredState): object => {
  const ended = tickets.filter(({ id }) => !id.includes('open'));
  const all = { articles, text, taxonomy, memories, related, others, gaps, tickets: ended };
  return JSON.parse(
    JSON.stringify(all, (key, value) => {
      if (
        /_at$|_seen$|^(?:checked_edition|edition|last_updated|next_cursor|score|state)$/.test(key)
      )
        return undefined;
      // The title of a question's gap named its words, and is now the question itself, which its examples keep.
      if (key === 'gap' && String(value).startsWith('No article answers what is asked about'))
        return undefined;
      // The address of a folder's article was its text, and is now its page.
      return key === 'url'
        ? String(value).replace(/^https?:\/\/[^/]+(?:\/api\/kb\/articles)?(?:\/kb)?/, '')
        : value;
    }),
  ) as object; // one went in
};
