import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExportLine } from '../../src/contract/moving.ts';
import type { Product } from '../../src/dev/run/product.ts';
import { runNode } from '../dev/node-for-test.ts';
import { smallTaxonomy } from '../support/intents/small-taxonomy.ts';
import { grant, send, startEmbedded } from './product-for-test.ts';

const MOVER = 'ck_mover_0123456789abcdef';
const READER = 'ck_reader_0123456789abcdef';
const MEMORIES = '/v1/workspaces/default/memories';
const LOCAL = 'http://localhost:8787';
const PERSON = { person_id: 'p-17' };

let folder: string;
let product: Product;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-moving-'));
  mkdirSync(join(folder, 'kb'));
  writeFileSync(join(folder, 'kb/bees.md'), '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n');
  product = await startEmbedded({ kb: { folder: join(folder, 'kb') } });
  const capabilities = ['kb:*', 'memory:*', 'support:analyze', 'helpdesk:write'];
  await grant(product, MOVER, { workspaces: ['default', 'copy', 'docs'], capabilities, audiences: ['*'] });
  await grant(product, READER, { capabilities: ['kb:read', 'memory:write'] });
  await product.sync({ full: true });
});

afterAll(async () => {
  await product?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (script: string, args: readonly string[], key = MOVER) =>
  runNode([`src/dev/transfer/${script}.ts`, '--url', product.url.origin, ...args], {
    env: { CONSTELLATION_API_KEY: key },
  });
const inFolder = (name: string): string => join(folder, name);

/** The lines of an export except the first, without the workspace. */
const linesOf = (file: string): unknown[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    // An article without an address of its own has one at the gateway.
    .map((line) =>
      line.replaceAll('"workspace_id":"copy"', '"workspace_id":"default"').replaceAll(LOCAL, product.url.origin),
    )
    .map((line) => JSON.parse(line));

const fill = async (): Promise<void> => {
  const put = (route: string, body: unknown) => send(product, route, body).then((response) => response.json());
  await put('PUT /api/kb/articles/own/pairing.md', {
    ...{
      title: 'Pairing “the opener”',
      content: '# Pairing\r\n\nHold the button. öä 😀\n',
      url: 'https://help.example.org/1',
    },
    metadata: { intent: ['setup_help'], device: ['Gate 5'], author: 'Kim', last_updated: '2024-02-29T12:00:00Z' },
  });
  await put('PUT /api/kb/articles/own/address%20of%20our%20own.md', { title: 'Own', content: 'It has 31 months.' });
  expect(await put('PUT /v1/support/taxonomy', { taxonomy: smallTaxonomy() })).toMatchObject({ trained: 'here' });
  const template = {
    header: '# Known “facts”\n',
    memoryFormat: '* {{content}}',
    separator: '\n',
    includeMetadata: false,
  };
  await put('PUT /v1/workspaces/default/context-templates/typed.1', template);
  await put('PUT /v1/workspaces/default/context-rankers/fresh', { recencyWeight: 1, lambda: 0.3 });
  const first = await put(`POST ${MEMORIES}`, {
    type: 'fact',
    content: 'The gate is 5 m wide. ü',
    ...PERSON,
    metadata: { a: [1] },
  });
  let before: string = first.memory.id;

  for (let number = 0; number < 60; number += 1) {
    const related_to = [{ memory_id: before, type: 'follows' }];
    const { memory } = await put(`POST ${MEMORIES}`, {
      type: 'note',
      content: `Note ${number}`,
      confidence: 0.5,
      related_to,
    });
    before = memory.id;
  }
  await put('POST /v1/ask', { query: 'Where does the hive stand?', conversation_id: 'talk-1', metadata: PERSON });
  for (const message of ['Does the hive support Zigbee pairing?', 'How do I export zebra reports to the moon?'])
    await put('POST /v1/support/analyze', { message, metadata: { ...PERSON, product: 'Gate 5' } });
  const job = {
    helpdesk: 'zammad',
    result: 'note',
    attempts: 1,
    last_error: null,
    accepted_at: '2026-01-02T03:04:05.006Z',
  };
  const at = { changed_at: '2026-01-02T03:04:06.006Z', next_attempt_at: null };
  const tickets = [
    { id: 'zammad/17/1', ticket_id: '17', state: 'done', ...job, ...at },
    { id: 'zammad/a%20b/2', ticket_id: 'a b', state: 'dead', ...job, ...at, result: null, last_error: 'Cannot write' },
  ];
  expect(await put('PUT /v1/support/tickets', { tickets })).toEqual({ restored: 2, unchanged: 0, refused: [] });
  const other = { tickets: [{ ...tickets[0], id: 'zammad/18/1' }] };
  expect(await put('PUT /v1/support/tickets', other)).toMatchObject({ restored: 0, refused: [{ id: 'zammad/18/1' }] });
};

describe('npm run export and import', () => {
  it('copy everything of a workspace into an empty one; a second run changes nothing', async () => {
    await fill();
    const written = await run('export', ['--workspace', 'default', '--out', folder]);
    expect(written).toMatchObject({ status: 0, stdout: '', stderr: expect.stringContaining('memories: 63') });
    const file = inFolder('default.jsonl');
    expect(statSync(file).mode & 0o077).toBe(0);
    const kinds = linesOf(file).map((line) => ExportLine.parse(line).kind);
    const counts = Object.fromEntries(
      [...new Set(kinds)].map((kind) => [kind, kinds.filter((each) => each === kind).length]),
    );
    // A turn is a question and its answer.
    expect(counts).toEqual({
      ...{ article: 3, taxonomy: 1, memory: 63, setting: 2, gap: expect.any(Number), ticket: 2, end: 1 },
    });
    expect(counts.gap).toBeGreaterThan(0);

    const restored = await run('import', ['--from', file, '--workspace', 'copy']);
    expect(restored).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('63 in the file, 63 restored, 0 unchanged'),
    });
    const again = await run('import', ['--from', file, '--workspace', 'copy']);
    expect([again.status, again.stderr.match(/[1-9]\d* restored/g)]).toEqual([0, null]);
    expect(again.stderr).toContain('63 in the file, 0 restored, 63 unchanged');
    await run('export', ['--workspace', 'copy', '--out', inFolder('copy.jsonl')]);
    expect(linesOf(inFolder('copy.jsonl')).toSorted(byText)).toEqual(linesOf(file).toSorted(byText));

    // Articles that were put are published some seconds later.
    const searched = async () => {
      const body = { query: 'hive of the queen', limit: 1 };
      return (await send(product, 'POST /v1/knowledge/search?workspace_id=copy', body, MOVER)).json();
    };
    const hits = [expect.objectContaining({ title: 'Bees' })];
    await expect.poll(searched, { timeout: 60_000, interval: 500 }).toMatchObject({ hits });
    const search = `POST /v1/workspaces/copy/memories/search`;
    const found = await (
      await send(product, search, { query: 'gate wide', options: { includeRelationships: true } }, MOVER)
    ).json();
    expect(found.results[0]).toMatchObject({ memory: PERSON, relationships: [{ relationship: { type: 'follows' } }] });
    // The person of a question is restored too, so that it can be erased.
    const erased = await send(product, 'DELETE /v1/knowledge/gaps?person_id=p-17&workspace_id=copy', undefined, MOVER);
    expect((await erased.json()).erased).toBeGreaterThan(0);
    // History only: nothing is written into a helpdesk.
    const replayed = await send(product, 'POST /v1/support/tickets/replay?workspace_id=copy', { all: true }, MOVER);
    expect(await replayed.json()).toEqual({ replayed: 0, unknown: [], remaining: 0 });
  });

  it('need rights, name the missing one, and restore memories of other keys only with a separate right', async () => {
    const out = ['--out', inFolder('none.jsonl')];
    const refusal = async (script: string, args: string[], key?: string) => {
      const { status, stderr } = await run(script, args, key);
      return [status, stderr];
    };
    const unknown = await refusal('export', ['--workspace', 'default', ...out], 'ck_unknown_0123456789abc');
    expect(unknown).toEqual([1, expect.stringMatching(/^Cannot accept the API key: it is unknown/)]);
    const other = await refusal('export', ['--workspace', 'elsewhere', ...out]);
    expect(other).toEqual([1, expect.stringContaining('the API key does not belong to it')]);
    const right = await refusal('export', ['--workspace', 'default', ...out], READER);
    expect(right).toEqual([1, expect.stringContaining('does not hold the capability support:analyze')]);
    expect(() => statSync(inFolder('none.jsonl'))).toThrow();
    const memories = [
      {
        id: 'x',
        workspace_id: 'default',
        type: 'fact',
        content: 'x',
        confidence: 1,
        created_at: '2026-01-01T00:00:00Z',
      },
    ];
    expect((await send(product, `PUT ${MEMORIES}`, { memories }, READER)).status).toBe(401);
  });

  it('validate the whole file before they send anything', async () => {
    const lines = readFileSync(inFolder('default.jsonl'), 'utf8').trimEnd().split('\n');
    const refusal = async (changed: string[]) => {
      writeFileSync(inFolder('damaged.jsonl'), `${changed.join('\n')}\n`);
      const { status, stderr } = await run('import', ['--from', inFolder('damaged.jsonl'), '--workspace', 'copy']);
      return [status, stderr.replace(inFolder('damaged.jsonl'), 'FILE')];
    };
    expect(await refusal(lines.with(4, '{"kind":"memo'))).toEqual([1, 'Cannot read FILE, line 5: it is no JSON\n']);
    const faulty = lines.with(5, JSON.stringify({ kind: 'gap', data: { id: 'g' } }));
    expect(await refusal(faulty)).toEqual([
      1,
      expect.stringMatching(/^Cannot read FILE, line 6: data\.kind: Invalid option/),
    ]);
    const cut = [1, `Cannot read FILE: it was cut off after line ${lines.length - 1}. Export again\n`];
    expect(await refusal(lines.slice(0, -1))).toEqual(cut);
    expect(await refusal(lines.toSpliced(3, 1))).toEqual([1, expect.stringContaining('lines when it was written')]);
  });
});

describe('npm run push-kb', () => {
  it('makes the knowledge base equal to the folder: writes differences, deletes missing articles, holds back many deletions', async () => {
    const docs = inFolder('docs');
    const write = (name: string, content: string | Uint8Array) => {
      mkdirSync(join(docs, name, '..'), { recursive: true });
      writeFileSync(join(docs, name), content);
    };
    const push = async (...more: string[]) => {
      const { status, stdout, stderr } = await run('push-kb', ['--folder', docs, '--workspace', 'docs', ...more]);
      return { status, planned: stdout.trim().split('\n').toSorted(), output: stderr };
    };
    const titles = async () => {
      const listing = await (await send(product, 'GET /api/kb/articles?workspace_id=docs', undefined, MOVER)).json();
      return listing.articles.map(({ id, title }: { id: string; title: string }) => `${id} ${title}`).toSorted();
    };
    for (const name of ['goats', 'hens', 'ducks']) write(`${name}.md`, `# About ${name}\n\nThey live here.\n`);
    write('a folder/geese.txt', '# Geese\n\nThey fly.');
    write('latin.md', new Uint8Array([...Buffer.from('# Caf'), 0xe9, ...Buffer.from('\n\nOpen at nine.')]));
    write('picture.png', 'x');
    write('empty.md', ' \n');
    const planned = [
      'create a folder/geese.txt',
      'create ducks.md',
      'create goats.md',
      'create hens.md',
      'create latin.md',
    ];
    expect(await push('--dry-run')).toMatchObject({ planned, output: expect.stringContaining('would be: 5 created') });
    expect(await titles()).toEqual([]);
    const first = await push();
    expect(first).toMatchObject({
      status: 1,
      output: expect.stringMatching(
        /not read: picture\.png[\s\S]*5 created[\s\S]*not taken: empty\.md: content: is empty/,
      ),
    });
    rmSync(join(docs, 'empty.md'));
    expect(await titles()).toEqual([
      'a folder/geese.txt Geese',
      'ducks.md About ducks',
      'goats.md About goats',
      'hens.md About hens',
      'latin.md Café',
    ]);

    // Rewritten without a change, as after a checkout.
    write('hens.md', '# About hens\n\nThey live here.\n');
    write('goats.md', '# About goats\n\nThey live there.\n');
    rmSync(join(docs, 'ducks.md'));
    const second = await push();
    expect(second).toMatchObject({
      status: 0,
      output: expect.stringContaining('0 created, 1 updated, 1 deleted, 3 unchanged'),
    });
    expect(await push()).toMatchObject({
      status: 0,
      output: expect.stringContaining('0 created, 0 updated, 0 deleted, 4 unchanged'),
    });

    for (const name of ['goats.md', 'latin.md']) rmSync(join(docs, name));
    const held = await push();
    expect(held).toMatchObject({
      status: 1,
      output: expect.stringMatching(/0 deleted[\s\S]*2 of 4 articles are not in the folder and were kept/),
    });
    // Only articles under the path are compared.
    expect(await push('--under', 'farm')).toMatchObject({
      status: 0,
      output: expect.stringContaining('2 created, 0 updated, 0 deleted'),
    });
    expect(await push('--under', 'farm')).toMatchObject({
      status: 0,
      output: expect.stringContaining('0 deleted, 2 unchanged'),
    });
    rmSync(join(docs, 'a folder'), { recursive: true });
    expect(await push('--allow-deletions', '--under', 'farm')).toMatchObject({ status: 0 });
    expect(await push('--allow-deletions')).toMatchObject({ status: 0 });
    expect(await titles()).toEqual(['hens.md About hens']);
    rmSync(join(docs, 'hens.md'));
    expect(await push('--allow-deletions')).toMatchObject({
      status: 1,
      output: expect.stringContaining('an empty folder would delete'),
    });
  });

  it('deletes nothing that a sync added', async () => {
    writeFileSync(join(folder, 'only.md'), '# Only\n\nThis one.\n');
    mkdirSync(inFolder('one'));
    writeFileSync(join(inFolder('one'), 'only.md'), '# Only\n\nThis one.\n');
    const pushed = await run('push-kb', ['--folder', inFolder('one'), '--workspace', 'default', '--allow-deletions']);
    expect(pushed.status).toBe(0);
    const listing = await (await send(product, 'GET /api/kb/articles')).json();
    expect(listing.articles.map(({ id }: { id: string }) => id)).toContain('bees.md');
  });
});

const byText = (left: unknown, right: unknown): number => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1);
