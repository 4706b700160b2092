/**
 * Records the state of a release, for `upgrade.test.ts`: runs the release's own `npm start`, stores something in every store by the public
 * API, reads everything back, stops it, and packs the state folder together with what was read (README.md beside this file).
 *
 *   node test/tools/run/upgrade/record-state.ts <checkout of the release, after npm ci> <archive: state-<commit>.tar.gz>
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { hashApiKey } from '../../../../src/gateway/access/api-keys.ts';
import { type Call, caller, readState, ticketsOf } from './read-state.ts';
import { startServices } from './services.ts';

const [checkout, archive] = process.argv.slice(2);
if (checkout === undefined || archive === undefined)
  throw new Error('Cannot record: name the checkout of the release and the archive');

const OTHER_KEY = 'ck_recorded_key_of_another_workspace';
const POLL_MS = 200;
/** Temporary stores, and the sample shop, which a folder of articles does not use. */
const NOT_RECORDED = ['cache', 'ratelimit', 'd1'];

const folder = mkdtempSync(join(tmpdir(), 'constellation-record-'));
const state = join(folder, 'state');
const services = await startServices();
try {
  cpSync(new URL('kb', import.meta.url), join(folder, 'kb'), { recursive: true });
  await storeKey();
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const [, script = ''] = scripts.start.split(' ');
  const args = [
    script,
    '--port',
    '0',
    '--state',
    state,
    '--kb',
    join(folder, 'kb'),
    '--no-helpdesk',
  ];
  const child = spawn(process.execPath, args, {
    cwd: checkout,
    env: { ...process.env, ...services.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => child.once('exit', done));
  let output = '';
  const [, url = '', key = ''] = await new Promise<string[]>((ready, failed) => {
    child.stdout?.on('data', (bytes) => {
      output += bytes;
      const found = /^ready (\S+) key (\S+)$/m.exec(output);
      if (found) ready(found);
    });
    void ended.then(() => failed(new Error(`it ended: ${output}`)));
  });
  const call = caller(url, key);
  const stored = await fill(call, url)
    .then(() => readState(call, OTHER_KEY))
    .finally(() => child.kill('SIGINT'));
  await ended;
  const looked = { otherKey: OTHER_KEY, recordedAt: Date.now(), ...stored };
  writeFileSync(join(folder, 'looked.json'), JSON.stringify(looked));
  for (const store of NOT_RECORDED)
    rmSync(join(state, 'data', store), { recursive: true, force: true });
  for (const file of globSync(join(state, 'data/**/*.sqlite'))) compact(file);
  const packed = ['-C', folder, '-czf', resolve(archive), 'state', 'looked.json', 'kb'];
  const { status } = spawnSync('tar', packed, { stdio: 'inherit' });
  if (status !== 0) throw new Error('Cannot pack the state');
} finally {
  await services.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Merges the write-ahead log into the database. */
function compact(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = DELETE; VACUUM; PRAGMA journal_mode = WAL');
  database.close();
}

/** As `npx constellation api-key` says to; the runner registers its own key only. */
async function storeKey(): Promise<void> {
  const kvNamespaces = { API_KEYS: 'constellation-api-keys' };
  const worker = { name: 'keys', modules: true, script: 'export default {}', kvNamespaces };
  const options = { resourcePersistencePath: join(state, 'data'), workers: [worker] };
  const miniflare = new Miniflare(convertV4MiniflareOptions(options));
  const keys = await miniflare.getKVNamespace('API_KEYS', 'keys');
  const record = {
    name: 'recorded',
    workspaces: ['other'],
    capabilities: ['memory:*', 'kb:read'],
    rate: 'high',
  };
  await keys.put(await hashApiKey(OTHER_KEY), JSON.stringify(record));
  await miniflare.dispose();
}

async function fill(call: Call, url: string): Promise<void> {
  const memories = '/v1/workspaces/default/memories';
  const post = (path: string, body: unknown, key?: string) =>
    call(path, { method: 'POST', body, ...(key === undefined ? {} : { key }) });
  const put = (path: string, body: unknown) => call(path, { method: 'PUT', body });
  await put('/api/kb/articles/notes%2Fducks.md', {
    title: 'Ducks',
    content: '# Ducks\n\nDucks swim on the northern pond until it freezes.',
    metadata: { intent: ['birds'], device: ['Pond'] },
  });
  // The folder still has it; it stays deleted.
  await call('/api/kb/articles/geese.md', { method: 'DELETE' });
  const intent = (id: string, title: string, of: string, examples: string[]) => ({
    id,
    title,
    examples,
    reply_template: `Hello {customer_name},\n\nyour ${of}:\n\n{knowledge}\n`,
  });
  const intents = [
    intent('beekeeping', 'Beekeeping', 'bees', ['How do I feed my bees?', 'Where is the queen?']),
    intent('birds', 'Birds', 'birds', ['My hens lay no eggs', 'Where do ducks swim?']),
  ];
  const general_template = 'Hello {customer_name},\n\n{knowledge}\n';
  await put('/v1/support/taxonomy', {
    taxonomy: { version: 1, name: 'The farm', general_template, intents },
  });
  const { memory } = (await post(memories, {
    type: 'fact',
    content: 'Ada keeps eleven geese behind the mill.',
    confidence: 0.9,
    person_id: 'ada',
    metadata: { source: 'a letter' },
  })) as { memory: { id: string } };
  await post(memories, {
    type: 'preference',
    content: 'Ada wants short answers.',
    person_id: 'ada',
    conversation_id: 'c-1',
    related_to: [{ memory_id: memory.id, type: 'follows' }],
  });
  await post(
    '/v1/workspaces/other/memories',
    { type: 'fact', content: 'The other farm has a yak.' },
    OTHER_KEY,
  );
  const talk = { conversation_id: 'c-1', metadata: { person_id: 'ada' }, librarian: 'navigator' };
  await post('/v1/ask', { query: 'When are goats milked?', ...talk });
  for (const message of [
    'My goats sneeze since Monday. Which vaccine do you recommend?',
    'Is there a subsidy for windmills on small farms?',
    'Is there a subsidy for a windmill on our farm?',
  ])
    await post('/v1/support/analyze', { message });
  await services.deliver(url, {
    id: 'done',
    subject: 'Bees',
    text: 'How much sugar syrup do my bees need?',
  });
  await services.deliver(url, {
    id: 'dead',
    subject: 'Hens',
    text: 'Why do my hens lay fewer eggs?',
  });
  await services.deliver(url, { id: 'open', subject: 'Goats', text: 'When are goats milked?' });
  await until(
    async () =>
      ((await call(`${memories}?type=answer`)) as { memories: unknown[] }).memories.length > 0,
  );
  await until(async () => {
    const counts = (await ticketsOf(call)).map(
      ({ tickets }) => tickets.filter(({ attempts }) => attempts > 0).length,
    );
    return counts.every((count) => count === 1);
  });
  // Published, with what was written over HTTP.
  await until(async () => {
    const body = { query: 'Where do ducks swim?', librarian: 'navigator' };
    return JSON.stringify(await post('/v1/ask', body)).includes('northern pond');
  });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((done) => setTimeout(done, POLL_MS));
}
