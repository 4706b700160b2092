import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { LibrarianResponse } from '../../src/contract/core/response.ts';
import { productProblem } from '../../tools/node-version.js';
import type { Product } from '../../tools/run/product.ts';
import { QUESTIONS } from '../conversation/every-pair.ts';
import { pdfOf, wordDocument } from '../documents/node/documents-for-test.ts';
import { grant, send, startEmbedded } from '../functions/product-for-test.ts';
import { runCommand, startCommand } from '../tools/node-for-test.ts';
import {
  codeOf,
  installPacked,
  SYSTEM_NODE as NODE,
  SYSTEM_NODE_VERSION,
} from './packed-packages.ts';

let product: Product;
let folder: string;
let remove: () => void;

beforeAll(async () => {
  [product, { folder, remove }] = await Promise.all([
    startEmbedded(),
    installPacked('constellation'),
  ]);
  await product.sync({ full: true });
}, 300_000);
afterAll(async () => {
  await product?.stop();
  remove?.();
});

const variables = () => ({
  CONSTELLATION_URL: product.url.href,
  CONSTELLATION_API_KEY: product.key,
});

/** The Node of the checkout, which the product runs on; the commands that ask a deployment run on the system's. */
const onNewNode = (args: readonly string[]) =>
  [process.execPath, [join(folder, 'node_modules/.bin/constellation'), ...args]] as const;

describe('npx constellation start', () => {
  const place = () => join(folder, 'own');
  beforeAll(() => {
    mkdirSync(join(place(), 'docs'), { recursive: true });
    const article = '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n';
    writeFileSync(join(place(), 'docs/bees.md'), article);
    const check = { question: 'Where does the hive stand?', contains: 'orchard wall' };
    writeFileSync(join(place(), 'checks.jsonl'), JSON.stringify(check));
  });

  it('runs the product on a folder from its own bundles, answers, and stops', async () => {
    const options = ['start', '--kb', 'docs', '--port', '0', '--no-model'];
    const started = await startCommand(onNewNode(options), { cwd: place() });
    const env = { CONSTELLATION_URL: started.url, CONSTELLATION_API_KEY: started.key };
    const asked = await runCommand(...onNewNode(['ask', 'Where does the hive stand?']), { env });
    expect(asked).toMatchObject({ status: 0, stdout: expect.stringContaining('orchard wall') });
    const ticket = ['ticket', '--message', 'Where does the hive stand?'];
    const note = await runCommand(...onNewNode(ticket), { cwd: place() });
    expect(note).toMatchObject({ status: 0, stdout: expect.stringContaining('orchard wall') });
    const page = await fetch(started.url);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('/console/app-'),
    ]);
    expect(await started.stop()).toBe(0);
    // The key and the answers are never committed with the folder that it was started in.
    expect(readFileSync(join(place(), '.constellation/.gitignore'), 'utf8')).toBe('*\n');
  });

  it('runs the checks of a file on a folder', async () => {
    const args = ['check', '--kb', 'docs', '--no-model', 'checks.jsonl'];
    const checked = await runCommand(...onNewNode(args), { cwd: place() });
    expect(checked).toMatchObject({ status: 0, stdout: expect.stringContaining('1 of 1 green') });
  });

  it.each([
    ['start --kb none', 'Cannot use --kb none: there is no such folder.'],
    ['start --port many', 'Cannot use --port many: it is not a number from 0 to 65535.'],
  ])('%s says what is wrong in one line', async (line, problem) => {
    const result = await runCommand(...onNewNode(line.split(' ')), { cwd: place() });
    expect(result).toEqual({
      status: 2,
      stdout: '',
      stderr: `${problem} --help lists the options.\n`,
    });
  });

  it('says which port is taken, and how to choose another', async () => {
    const taken = await serve((_, response) => response.end());
    const { port } = new URL(taken.url);
    try {
      const result = await runCommand(...onNewNode(['start', '--port', port]), { cwd: place() });
      const stderr = `Cannot start: port ${port} is in use. Stop what uses it, or choose another: npx --no constellation start --port 0\n`;
      expect(result).toEqual({ status: 1, stdout: '', stderr });
    } finally {
      await taken.stop();
    }
  });

  const problem = productProblem('start', SYSTEM_NODE_VERSION, NODE);
  it.runIf(problem !== undefined).each(['start', 'check --kb docs checks.jsonl'])(
    '%s names the Node that it needs',
    async (line) => {
      const args = [join(folder, 'node_modules/.bin/constellation'), ...line.split(' ')];
      const { status, stderr } = await runCommand(NODE, args, { cwd: place() });
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^constellation .* needs Node 22\.13 or later/),
      ]);
    },
  );
});

describe('npx constellation', () => {
  it('answers the command of its page', async () => {
    const lines = codeOf('docs/client.md', 'sh').join('\n').split('\n');
    const line = lines.find((each) => each.startsWith('npx --no constellation ask')) ?? 'false';
    const env = { ...variables(), npm_config_offline: 'true' };
    const { status, stdout } = await runCommand('sh', ['-c', line], { cwd: folder, env });
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining('| United States, Canada | 4 to 7 | €29 |'),
    ]);
  });

  it('serves MCP from the entry of its page', async () => {
    const Entry = z.object({ command: z.string(), args: z.array(z.string()) });
    const page = codeOf('docs/mcp.md', 'json').find((each) => each.includes('"command"')) ?? '{}';
    const entry = Entry.parse(JSON.parse(page).mcpServers.constellation);
    const env = {
      ...variables(),
      npm_config_offline: 'true',
      PATH: process.env.PATH ?? '',
      HOME: folder,
    };
    const client = new Client({ name: 'assistant', version: '1' });
    await client.connect(new StdioClientTransport({ ...entry, env, cwd: folder }));
    const { content } = await client.callTool({
      name: 'search',
      arguments: { query: 'reset the password', limit: 1 },
    });
    expect(JSON.stringify(content)).toMatch(/password/i);
    await client.close();
  });

  it('lists its commands, also those of the product', async () => {
    const { status, stdout } = await run(['--help']);
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^ {2}ask .*^On this machine:\n {2}start /ms),
    ]);
    expect(stdout).not.toContain('In a checkout');
  });

  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runCommand(NODE, [join(folder, 'node_modules/.bin/constellation'), ...args], {
      cwd: folder,
      env: { ...variables(), XDG_CONFIG_HOME: join(folder, 'config'), ...env },
    });

  it('answers with sources as plain links, and exits with 0', async () => {
    const { status, stdout, stderr } = await run([
      'ask',
      'How',
      'long',
      'does',
      'shipping',
      'to',
      'Canada',
      'take?',
    ]);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('| United States, Canada | 4 to 7 | €29 |');
    expect(stdout).toContain('<https://docs.example.com/orders/shipping>');
    expect(stdout).not.toContain('\u001b');
    const kept = async () =>
      (await send(product, 'GET /v1/answers?interface=command_line&text=canada')).text();
    await expect
      .poll(kept, { timeout: 60_000 })
      .toContain('How long does shipping to Canada take?');
  });

  it('exits with 3 for an unanswered question, 2 for a wrong command line, and 1 for a refused key', async () => {
    const declined = await run(['ask', 'How do I cook rice?']);
    expect([declined.status, declined.stdout]).toEqual([
      3,
      expect.stringContaining("don't have information"),
    ]);
    for (const wrong of ['ask', 'ask --colour x', 'search --limit 0 x', 'dance', 'push /none'])
      expect([wrong, (await run(wrong.split(' '))).status]).toEqual([wrong, 2]);
    const refused = await run(['ask', 'Hello?'], { CONSTELLATION_API_KEY: 'ck_wrong' });
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^UNAUTHORIZED: .*request [0-9a-f]/),
    ]);
  });

  it('prints the whole response as JSON', async () => {
    const { status, stdout } = await run([
      'ask',
      '--json',
      '--librarian',
      'navigator',
      'What does error E30 mean?',
    ]);
    const response = { answer: expect.stringContaining('E30'), confidence: expect.any(Number) };
    expect([status, JSON.parse(stdout)]).toMatchObject([0, response]);
  });

  it.each([
    ['search --limit 1 reset the password', 0, /^[01]\.\d\d {2}.*password.*<https:/],
    ['sync --full', 0, /^40 articles, \d+ passages/],
    ['gaps', 0, /\d+ of \d+\n$/],
    ['tickets --json', 0, /"tickets": \[\]/],
    ['tickets --replay zammad/1/1', 1, /not retried: zammad\/1\/1/],
  ])('%s exits with %d', async (line, status, says) => {
    expect(await run(line.split(' '))).toMatchObject({
      status,
      stdout: expect.stringMatching(says),
    });
  });

  it('understands a follow-up question of a conversation', async () => {
    const questions =
      'What should I do when my Apollo III is not hashing?\nAnd on the Apollo II?\n';
    writeFileSync(join(folder, 'questions.txt'), questions);
    const line = `'${NODE}' node_modules/.bin/constellation chat --conversation c-17 < questions.txt`;
    const { status, stdout } = await runCommand('sh', ['-c', line], {
      cwd: folder,
      env: variables(),
    });
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/Apollo III not hashing.*Apollo II not hashing </s),
    ]);
    const memories = await send(
      product,
      'GET /v1/workspaces/default/memories?conversation_id=c-17',
    );
    expect(JSON.stringify(await memories.json())).toContain('And on the Apollo II?');
  });

  it('answers the questions of a conversation as when each is asked alone, and thanks for thanks', async () => {
    writeFileSync(join(folder, 'questions.txt'), [...QUESTIONS, 'Thanks, that helped'].join('\n'));
    const line = `'${NODE}' node_modules/.bin/constellation chat --conversation c-18 < questions.txt`;
    const { status, stdout } = await runCommand('sh', ['-c', line], {
      cwd: folder,
      env: variables(),
    });
    const stated = [...stdout.matchAll(/confidence (\d\.\d\d)/g)].map(
      ([, confidence]) => confidence,
    );
    const alone = QUESTIONS.map(async (query) => {
      const { confidence } = LibrarianResponse.parse(
        await (await send(product, 'POST /v1/ask', { query })).json(),
      );
      return confidence?.toFixed(2);
    });
    expect([status, stated]).toEqual([0, await Promise.all(alone)]);
    expect(stdout).toContain("You're welcome.");
  });

  it('pushes a folder, and prints the changes in a dry run', async () => {
    const key = 'ck_pusher_0123456789abcdef';
    await grant(product, key, { workspaces: ['pushed'], capabilities: ['kb:*'] });
    mkdirSync(join(folder, 'docs'), { recursive: true });
    writeFileSync(
      join(folder, 'docs/bees.md'),
      '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n',
    );
    const env = { CONSTELLATION_API_KEY: key };
    expect(await run(['push', 'docs', '--dry-run'], env)).toMatchObject({
      status: 0,
      stdout: 'create bees.md\n',
    });
    const pushed = await run(['push', 'docs'], env);
    expect([pushed.status, pushed.stderr]).toEqual([
      0,
      expect.stringContaining('1 created, 0 updated, 0 deleted'),
    ]);
    const article = await send(product, 'GET /api/kb/articles/bees.md', undefined, key);
    expect(await article.json()).toMatchObject({ title: 'Bees' });
    writeFileSync(join(folder, 'docs/pump.docx'), await wordDocument());
    writeFileSync(join(folder, 'docs/scan.pdf'), pdfOf(Buffer.from('0 0 9 9 re f')));
    const more = await run(['push', 'docs'], env);
    expect([more.status, more.stderr]).toEqual([
      1,
      expect.stringContaining('1 created, 0 updated, 0 deleted, 1 unch'),
    ]);
    expect(more.stderr).toContain(
      'not taken: scan.pdf: not readable: it has no text, like scanned pages',
    );
    const pump = await send(product, 'GET /api/kb/articles/pump.docx', undefined, key);
    const content = expect.stringContaining('| Lid | 4 Nm |');
    expect(await pump.json()).toMatchObject({ title: 'Pump manual', content });
  });

  it('writes its configuration readable only by its owner, and uses no other', async () => {
    const env = {
      CONSTELLATION_API_KEY: '',
      CONSTELLATION_URL: '',
      XDG_CONFIG_HOME: join(folder, 'own config'),
    };
    writeFileSync(join(folder, 'key.txt'), `${product.key}\n`);
    const line = `'${NODE}' node_modules/.bin/constellation login --url ${product.url.href} < key.txt`;
    expect(await runCommand('sh', ['-c', line], { cwd: folder, env })).toMatchObject({ status: 0 });
    const file = join(folder, 'own config/constellation/config.json');
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    const well = expect.stringContaining('Nothing is wrong');
    expect(await run(['doctor'], env)).toMatchObject({ status: 0, stdout: well });
    // The key is not sent to another address.
    const elsewhere = await run(['doctor', '--url', 'http://127.0.0.1:1'], env);
    expect([elsewhere.status, elsewhere.stdout]).toEqual([
      1,
      expect.stringMatching(/WRONG +key +none/),
    ]);
    chmodSync(file, 0o644);
    const refused = await run(['gaps'], env);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('chmod 600')]);
  });

  it.each(['ask', 'chat', 'search', 'sync', 'push', 'gaps', 'tickets', 'mcp', 'doctor', 'login'])(
    '%s --help has examples that parse',
    async (name) => {
      const { status, stdout } = await run([name, '--help']);
      expect([status, stdout]).toEqual([
        0,
        expect.stringMatching(/Examples:\n {2}constellation .*Exit code: 0/s),
      ]);
    },
  );

  it('prints no terminal control sequences of a hostile server', async () => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\u009b31m\rred\u202e';
    const statement = { index: 0, text: `A ${evil}`, sources: [], support: 1, check: 'quoted' };
    const source = { name: `S ${evil}`, url: `https://example.com/${evil}` };
    const done = {
      answer: `A ${evil}`,
      sources: [source, { name: 'S', url: 'javascript:alert(1)' }],
      confidence: 1,
    };
    const event = (name: string, data: unknown): string =>
      `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    const events = event('statement', statement) + event('done', done);
    const error = { code: 'INVALID_QUERY', message: `No ${evil}` };
    const answers = await serve((request, response) => {
      request.resume();
      const isStreamed = request.headers.accept === 'text/event-stream';
      if (!request.url?.startsWith('/v1/ask'))
        response.writeHead(400, { 'x-request-id': 'r' }).end(JSON.stringify({ error }));
      else if (isStreamed)
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
      else response.writeHead(200).end(JSON.stringify(done));
    });
    try {
      const env = { CONSTELLATION_URL: answers.url };
      const runs = [
        await run(['ask', 'x'], env),
        await run(['ask', '--json', 'x'], env),
        await run(['gaps'], env),
      ];
      expect(runs.map(({ status }) => status)).toEqual([0, 0, 1]);
      expect(runs[0]?.stdout).toContain('red');
      // Only text and line breaks.
      for (const { stdout, stderr } of runs) expect(stdout + stderr).toMatch(/^(?:[\P{C}\n])*$/u);
      expect(runs[0]?.stdout).not.toContain('javascript:');
    } finally {
      await answers.stop();
    }
  });
});

const serve = async (
  listener: RequestListener,
): Promise<{ url: string; stop(): Promise<void> }> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a server that listens on a port
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url: `http://127.0.0.1:${port}`, stop };
};
