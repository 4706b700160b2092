import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ExportLine } from '../../src/contract/wire/moving.ts';
import type { Product } from '../../tools/run/product.ts';
import { smallTaxonomy } from '../support/intents/small-taxonomy.ts';
import { runNode } from '../tools/node-for-test.ts';
import { grant, send } from './product-for-test.ts';

/** Fills the workspace `workshop`. */
const OWNER = 'ck_owner_0123456789abcdef';
const MOVER = 'ck_mover_0123456789abcdef';
const READER = 'ck_moving_reader_0123456789';
const MEMORIES = '/v1/workspaces/workshop/memories';
const PERSON = { person_id: 'p-17' };

/** `npx constellation export`, `import` and `push-kb` with a product whose default workspace is synced. */
export function describeMoving(productOf: () => Product): void {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'constellation-moving-'));
    const capabilities = ['kb:*', 'memory:*', 'support:*', 'helpdesk:write'];
    await grant(productOf(), OWNER, { workspaces: ['workshop'], capabilities });
    await grant(productOf(), MOVER, {
      workspaces: ['default', 'workshop', 'copy', 'docs'],
      audiences: ['*'],
      capabilities: capabilities.with(2, 'support:analyze'),
    });
    await grant(productOf(), READER, {
      workspaces: ['workshop'],
      capabilities: ['kb:read', 'memory:write'],
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const inFolder = (name: string): string => join(folder, name);
  /** Exit status and output of a script. */
  const run = (script: string, args: readonly string[], key = MOVER) =>
    runNode([`tools/transfer/${script}.ts`, '--url', productOf().url.origin, ...args], {
      env: { CONSTELLATION_API_KEY: key },
    });
  const as = async (key: string, route: string, body?: unknown) =>
    (await send(productOf(), route, body, key)).json();

  /** The lines of an export except the first, sorted, without the workspace. */
  const linesOf = (name: string): unknown[] => {
    const [, ...lines] = readFileSync(inFolder(name), 'utf8').trimEnd().split('\n');
    return lines
      .map((line) =>
        JSON.parse(line.replaceAll('"workspace_id":"copy"', '"workspace_id":"workshop"')),
      )
      .toSorted(byText);
  };

  const fill = async (): Promise<void> => {
    const put = (route: string, body: unknown) => as(OWNER, route, body);
    await put('PUT /api/kb/articles/own/pairing.md', {
      title: 'Pairing “the opener”',
      content: '# Pairing\r\n\nHold the button. öä 😀\n',
      url: 'https://help.example.org/1',
      metadata: {
        intent: ['setup_help'],
        device: ['Gate 5'],
        author: 'Kim',
        last_updated: '2024-02-29T12:00:00Z',
      },
    });
    await put('PUT /api/kb/articles/own/address%20of%20our%20own.md', {
      title: 'Own',
      content: 'It has 31 months.',
    });
    const bees = {
      title: 'Bees',
      content: '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n',
    };
    await put('PUT /api/kb/articles/bees.md', bees);
    expect(await put('PUT /v1/support/taxonomy', { taxonomy: smallTaxonomy() })).toMatchObject({
      trained: 'here',
    });
    const template = {
      header: '# Known “facts”\n',
      memoryFormat: '* {{content}}',
      separator: '\n',
    };
    await put('PUT /v1/workspaces/workshop/context-templates/typed.1', {
      ...template,
      includeMetadata: false,
    });
    await put('PUT /v1/workspaces/workshop/context-rankers/fresh', {
      recencyWeight: 1,
      lambda: 0.3,
    });
    const fact = {
      type: 'fact',
      content: 'The gate is 5 m wide. ü',
      ...PERSON,
      metadata: { a: [1] },
    };
    let before: string = (await put(`POST ${MEMORIES}`, fact)).memory.id;
    for (let number = 0; number < 60; number += 1) {
      const note = { type: 'note', content: `Note ${number}`, confidence: 0.5 };
      const related_to = [{ memory_id: before, type: 'follows' }];
      before = (await put(`POST ${MEMORIES}`, { ...note, related_to })).memory.id;
    }
    await untilFound('workshop');
    await put('POST /v1/ask', {
      query: 'Where does the hive stand?',
      conversation_id: 'talk-1',
      metadata: PERSON,
    });
    for (const message of [
      'Does the hive support Zigbee pairing?',
      'How do I export zebra reports to the moon?',
    ])
      await put('POST /v1/support/analyze', {
        message,
        metadata: { ...PERSON, product: 'Gate 5' },
      });
    const times = {
      accepted_at: '2026-01-02T03:04:05.006Z',
      changed_at: '2026-01-02T03:04:06.006Z',
    };
    const job = {
      helpdesk: 'zammad',
      result: 'note',
      attempts: 1,
      last_error: null,
      ...times,
      next_attempt_at: null,
    };
    const done = { id: 'zammad/17/1', ticket_id: '17', state: 'done', ...job };
    const dead = { state: 'dead', ...job, result: null, last_error: 'Cannot write' };
    const tickets = [done, { id: 'zammad/a%20b/2', ticket_id: 'a b', ...dead }];
    expect(await put('PUT /v1/support/tickets', { tickets })).toEqual({
      restored: 2,
      unchanged: 0,
      refused: [],
    });
    const refused = await put('PUT /v1/support/tickets', {
      tickets: [{ ...done, id: 'zammad/18/1' }],
    });
    expect(refused).toMatchObject({ restored: 0, refused: [{ id: 'zammad/18/1' }] });
  };
  /** Articles that were put are published some seconds later. */
  const untilFound = (workspace: string) => {
    const search = `POST /v1/knowledge/search?workspace_id=${workspace}`;
    const hits = [expect.objectContaining({ title: 'Bees' })];
    const isFound = async () =>
      expect(await as(MOVER, search, { query: 'hive of the queen', limit: 1 })).toMatchObject({
        hits,
      });
    return vi.waitFor(isFound, { timeout: 60_000, interval: 500 });
  };

  describe('npx constellation export and import', () => {
    beforeAll(async () => {
      await fill();
      const written = await run('export', ['--workspace', 'workshop', '--out', folder]);
      expect(written).toMatchObject({
        status: 0,
        stdout: '',
        stderr: expect.stringContaining('memories: 63'),
      });
    });

    it('copy everything of a workspace into an empty one; a second run changes nothing', async () => {
      expect(statSync(inFolder('workshop.jsonl')).mode & 0o077).toBe(0);
      const lines = Object.groupBy(
        linesOf('workshop.jsonl'),
        (line) => ExportLine.parse(line).kind,
      );
      // A turn is a question and its answer.
      expect(
        Object.fromEntries(Object.entries(lines).map(([kind, { length }]) => [kind, length])),
      ).toEqual({
        article: 3,
        taxonomy: 1,
        memory: 63,
        setting: 2,
        gap: expect.any(Number),
        ticket: 2,
        end: 1,
      });

      const restore = () =>
        run('import', ['--from', inFolder('workshop.jsonl'), '--workspace', 'copy']);
      const restored = expect.stringContaining('63 in the file, 63 restored, 0 unchanged');
      expect(await restore()).toMatchObject({ status: 0, stderr: restored });
      const again = await restore();
      expect([again.status, again.stderr.match(/[1-9]\d* restored/g)]).toEqual([0, null]);
      expect(again.stderr).toContain('63 in the file, 0 restored, 63 unchanged');
      await run('export', ['--workspace', 'copy', '--out', inFolder('copy.jsonl')]);
      expect(linesOf('copy.jsonl')).toEqual(linesOf('workshop.jsonl'));

      await untilFound('copy');
      const query = { query: 'gate wide', options: { includeRelationships: true } };
      const { results } = await as(MOVER, 'POST /v1/workspaces/copy/memories/search', query);
      expect(results[0]).toMatchObject({
        memory: PERSON,
        relationships: [{ relationship: { type: 'follows' } }],
      });
      // The person of a question is restored too, so that it can be erased.
      const { erased } = await as(
        MOVER,
        'DELETE /v1/knowledge/gaps?person_id=p-17&workspace_id=copy',
      );
      expect(erased).toBeGreaterThan(0);
      // History only: nothing is written into a helpdesk.
      const replayed = await as(MOVER, 'POST /v1/support/tickets/replay?workspace_id=copy', {
        all: true,
      });
      expect(replayed).toEqual({ replayed: 0, unknown: [], remaining: 0 });
    });

    it.each([
      [
        'an unknown key',
        'workshop',
        'ck_unknown_0123456789abc',
        'Cannot accept the API key: it is unknown',
      ],
      ['a key of another workspace', 'elsewhere', MOVER, 'the API key does not belong to it'],
      ['a key without a right', 'workshop', READER, 'does not hold the capability support:analyze'],
    ])('write nothing with %s', async (_, workspace, key, problem) => {
      const args = ['--workspace', workspace, '--out', inFolder('none.jsonl')];
      expect(await run('export', args, key)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(problem),
      });
      expect(() => statSync(inFolder('none.jsonl'))).toThrow();
    });

    it('restore memories of other keys only with a separate right', async () => {
      const fact = {
        id: 'x',
        type: 'fact',
        content: 'x',
        confidence: 1,
        created_at: '2026-01-01T00:00:00Z',
      };
      const memories = [{ ...fact, workspace_id: 'workshop' }];
      expect((await send(productOf(), `PUT ${MEMORIES}`, { memories }, READER)).status).toBe(401);
    });

    it('validate the whole file before they send anything', async () => {
      const lines = readFileSync(inFolder('workshop.jsonl'), 'utf8').trimEnd().split('\n');
      for (const [changed, problem] of [
        [lines.with(4, '{"kind":"memo'), 'FILE, line 5: it is no JSON'],
        [
          lines.with(5, JSON.stringify({ kind: 'gap', data: { id: 'g' } })),
          'FILE, line 6: data.kind: Invalid option',
        ],
        [lines.slice(0, -1), `FILE: it was cut off after line ${lines.length - 1}. Export again`],
        [lines.toSpliced(3, 1), 'lines when it was written'],
      ] as const) {
        const file = inFolder('damaged.jsonl');
        writeFileSync(file, `${changed.join('\n')}\n`);
        const { status, stderr } = await run('import', ['--from', file, '--workspace', 'copy']);
        expect([status, stderr.replace(file, 'FILE')]).toEqual([
          1,
          expect.stringContaining(problem),
        ]);
      }
    });
  });

  describe('npx constellation push-kb', () => {
    const write = (name: string, content: string | Uint8Array) => {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(inFolder(name), content);
    };

    it('makes the knowledge base equal to the folder: writes differences, deletes missing articles, holds back many deletions', async () => {
      /** Pushes, and expects these words of its output. */
      const push = async (
        output: string | RegExp,
        { args = [], status = 0 }: { args?: string[]; status?: number } = {},
      ) => {
        const pushed = await run('push-kb', [
          '--folder',
          inFolder('docs'),
          '--workspace',
          'docs',
          ...args,
        ]);
        expect([pushed.status, pushed.stderr]).toEqual([status, expect.stringMatching(output)]);
        return pushed.stdout.trim().split('\n').toSorted();
      };
      const titles = async () => {
        const { articles } = await as(MOVER, 'GET /api/kb/articles?workspace_id=docs');
        return articles
          .map(({ id, title }: { id: string; title: string }) => `${id} ${title}`)
          .toSorted();
      };
      for (const name of ['goats', 'hens', 'ducks'])
        write(`docs/${name}.md`, `# About ${name}\n\nThey live here.\n`);
      write('docs/a folder/geese.txt', '# Geese\n\nThey fly.');
      write(
        'docs/latin.md',
        new Uint8Array([...Buffer.from('# Caf'), 0xe9, ...Buffer.from('\n\nOpen at nine.')]),
      );
      write('docs/picture.png', 'x');
      write('docs/empty.md', ' \n');
      const names = ['a folder/geese.txt', 'ducks.md', 'goats.md', 'hens.md', 'latin.md'];
      const planned = await push('would be: 5 created', { args: ['--dry-run'], status: 1 });
      expect(planned).toEqual(names.map((name) => `create ${name}`));
      expect(await titles()).toEqual([]);
      const notTaken =
        /not read: picture\.png[\s\S]*5 created[\s\S]*not taken: empty\.md: content: is empty/;
      await push(notTaken, { status: 1 });
      rmSync(inFolder('docs/empty.md'));
      const about = ['Geese', 'About ducks', 'About goats', 'About hens', 'Café'];
      expect(await titles()).toEqual(names.map((name, at) => `${name} ${about[at]}`));

      // Rewritten without a change, as after a checkout.
      write('docs/hens.md', '# About hens\n\nThey live here.\n');
      write('docs/goats.md', '# About goats\n\nThey live there.\n');
      rmSync(inFolder('docs/ducks.md'));
      await push('0 created, 1 updated, 1 deleted, 3 unchanged');
      await push('0 created, 0 updated, 0 deleted, 4 unchanged');

      for (const name of ['goats.md', 'latin.md']) rmSync(inFolder(`docs/${name}`));
      await push(/0 deleted[\s\S]*2 of 4 articles are not in the folder and were kept/, {
        status: 1,
      });
      // Only articles under the path are compared.
      const args = ['--under', 'workshop'];
      await push('2 created, 0 updated, 0 deleted', { args });
      await push('0 deleted, 2 unchanged', { args });
      rmSync(inFolder('docs/a folder'), { recursive: true });
      await push('', { args: [...args, '--allow-deletions'] });
      await push('', { args: ['--allow-deletions'] });
      expect(await titles()).toEqual(['hens.md About hens']);
      rmSync(inFolder('docs/hens.md'));
      await push('an empty folder would delete', { args: ['--allow-deletions'], status: 1 });
    });

    it('deletes nothing that a sync added', async () => {
      write('one/only.md', '# Only\n\nThis one.\n');
      const args = ['--folder', inFolder('one'), '--workspace', 'default', '--allow-deletions'];
      expect((await run('push-kb', args)).status).toBe(0);
      const { articles } = await as(MOVER, 'GET /api/kb/articles?workspace_id=default&limit=500');
      expect(articles.length).toBeGreaterThan(30);
      expect((await send(productOf(), 'DELETE /api/kb/articles/only.md')).status).toBe(204);
    });
  });
}

const byText = (left: unknown, right: unknown): number =>
  JSON.stringify(left) < JSON.stringify(right) ? -1 : 1;
