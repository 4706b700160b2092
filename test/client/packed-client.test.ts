import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Constellation } from '../../client/constellation.ts';
import { launchChromium } from '../../research/screenshots/launch-chromium.ts';
import { LibrarianResponse } from '../../src/contract/core/response.ts';
import { ROOT } from '../../tools/functions.ts';
import type { Product } from '../../tools/run/product.ts';
import { QUESTIONS } from '../conversation/every-pair.ts';
import { pdfOf, wordDocument } from '../documents/node/documents-for-test.ts';
import { grant, send, startEmbedded } from '../functions/product-for-test.ts';
import { oneWorker } from '../platform/storage/worker-for-test.ts';
import { runCommand } from '../tools/node-for-test.ts';
import { codeOf, installPacked } from './packed-client.ts';

let product: Product;
let folder: string;
let remove: () => void;

beforeAll(async () => {
  [product, { folder, remove }] = await Promise.all([startEmbedded(), installPacked()]);
  await product.sync({ full: true });
}, 300_000);
afterAll(async () => {
  await product?.stop();
  remove?.();
});

/** The Node of the machine, older than the one of the checkout. */
const NODE =
  execFileSync('which', ['-a', 'node'], { encoding: 'utf8' }).trim().split('\n').at(-1) ?? 'node';
const variables = () => ({
  CONSTELLATION_URL: product.url.href,
  CONSTELLATION_API_KEY: product.key,
});
const clientOf = () => new Constellation({ url: product.url, key: product.key });
const installed = (): string => join(folder, 'node_modules/@constellation/client');

describe('the packed client', () => {
  it('runs the example of its page in an empty folder, on the Node of the machine', async () => {
    const [code = ''] = codeOf('docs/client.md', 'js');
    writeFileSync(join(folder, 'ask.js'), code);
    const { status, stdout, stderr } = await runCommand(NODE, ['ask.js'], {
      cwd: folder,
      env: variables(),
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /4 to 7.*https:\/\/docs\.example\.com\/orders\/shipping\nconfidence 0\.\d+/s,
    );
    expect(stdout).toMatch(/^[01]\.\d\d .*password/im);
  });

  it('has types of the contract that need no other package', async () => {
    const names = readFileSync(join(ROOT, 'client/contract.ts'), 'utf8').match(/^ {2}\w+/gm) ?? [];
    expect(names.length).toBeGreaterThan(30);
    mkdirSync(join(folder, 'types'), { recursive: true });
    writeFileSync(
      join(folder, 'types/consumer.ts'),
      `import { Constellation, ConstellationError, type AskEvent } from '@constellation/client';
       const client = new Constellation({ url: 'http://localhost', key: async () => 'ck_' });
       const event = {} as AskEvent;
       if (event.type === 'done') event.response.sources?.map(({ name }: { name: string }) => name);
       if (event.type === 'statement') event.sources[0]?.quote satisfies string | undefined;
       // @ts-expect-error There is no such event.
       if (event.type === 'finished') throw new ConstellationError('NOT_FOUND', 'no');
       // @ts-expect-error A question has no such member.
       void client.ask({ query: 'a', colour: 'red' });
       for await (const { title } of client.articles.all({ limit: 5 })) title satisfies string;`,
    );
    const strict = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: [] };
    const consumer = {
      compilerOptions: { ...strict, lib: ['es2023', 'dom', 'dom.iterable'] },
      include: ['consumer.ts'],
    };
    writeFileSync(join(folder, 'types/tsconfig.json'), JSON.stringify(consumer));
    const compiled = await runCommand('tsc', ['-p', 'types'], { cwd: folder });
    expect(compiled).toMatchObject({ status: 0, stdout: '' });

    // In both directions, as far as the contract's types allow: query schemas coerce numbers, dates are sent as text, and
    // additional members cannot be expressed beside optional ones of the same type.
    const all = names.map((name) => name.trim());
    const reads = all.filter(
      (name) => !/Query$|^(?:KnowledgeGaps|Tickets|MemorySearch|Context)Request$/.test(name),
    );
    const writes = all.filter(
      (name) => !/^(?:MemorySearch|Context)Request$|^NavigatorResponse$/.test(name),
    );
    // Within the checkout, whose types it reads.
    const agreeing = join(ROOT, 'dist/agree');
    mkdirSync(agreeing, { recursive: true });
    writeFileSync(
      join(agreeing, 'agree.ts'),
      `import type * as z from 'zod';
       import type * as own from '../../src/contract/index.ts';
       import type * as built from '../../client/dist/contract.d.ts';
       type Wire<T> = T extends z.ZodType ? z.input<T> : never;
       ${reads.map((name) => `export const read${name} = (value: Wire<typeof own.${name}>): built.${name} => value;`).join('\n')}
       ${writes.map((name) => `export const write${name} = (value: built.${name}): Wire<typeof own.${name}> => value;`).join('\n')}`,
    );
    const agreement = {
      extends: '../../tsconfig.json',
      compilerOptions: { exactOptionalPropertyTypes: false },
      include: ['agree.ts'],
      exclude: [],
    };
    writeFileSync(join(agreeing, 'tsconfig.json'), JSON.stringify(agreement));
    const agreed = await runCommand('tsc', ['-p', agreeing], { cwd: ROOT });
    expect(agreed).toMatchObject({ status: 0, stdout: '' });
  });

  it('contains only what it needs', () => {
    const files = readdirSync(join(installed(), 'dist'));
    expect(files).toEqual(
      expect.arrayContaining(['index.js', 'index.d.ts', 'contract.d.ts', 'LICENSE']),
    );
    const declared = files.filter((file) => file.endsWith('.d.ts'));
    const imports = declared.flatMap((file) => [
      ...readFileSync(join(installed(), 'dist', file), 'utf8').matchAll(/from '([^']+)'/g),
    ]);
    expect(imports.map(([, from = '']) => from).filter((from) => !from.startsWith('./'))).toEqual(
      [],
    );
    const manifest: unknown = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(
      readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ).toEqual(['@constellation']);
  });
});

describe('the client, against the product', () => {
  it('lists editions and their changes, and publishes an earlier one again', async () => {
    const client = clientOf();
    const id = 'guides/editions-of-the-client.md';
    for (const hours of ['9 to 5', '8 to 6']) {
      await client.articles.put(id, {
        title: 'Hours of the client',
        content: `# Hours\n\nWe answer from ${hours}.\n`,
      });
      await product.sync({});
    }
    const [current, earlier] = (await client.editions.list()).editions;
    expect([current?.is_current, current?.is_stored, earlier?.is_current]).toEqual([
      true,
      true,
      false,
    ]);
    const changes = await client.editions.changes(current?.id ?? '', { article: id });
    expect(changes).toMatchObject({ from: earlier?.id, articles: [{ id, change: 'changed' }] });
    expect(changes.article?.before).toContain('9 to 5');
    const { edition } = await client.editions.activate(earlier?.id ?? '');
    expect((await client.editions.list()).editions[0]).toMatchObject({
      id: edition,
      cause: 'activate',
    });
    expect((await client.articles.get(id)).content).toContain('9 to 5');
    await client.articles.delete(id);
    await expect(client.editions.changes('e000000-00000000')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('reads the health of the knowledge base', async () => {
    const health = await clientOf().articles.health();
    expect(health.articles).toBeGreaterThan(10);
    const found = Object.entries(health.counts).flatMap(([kind, number]) =>
      number > 0 ? [kind] : [],
    );
    expect(new Set(health.findings.map(({ kind }) => kind))).toEqual(new Set(found));
  });

  it('reads kept answers, gives feedback, replays one, and erases it', async () => {
    const client = clientOf();
    const query = 'How long does shipping to Canada take?';
    const { metadata } = await client.ask({ query });
    const id = String(metadata?.answer_id);
    expect(await client.answers.get(id)).toMatchObject({
      id,
      question: query,
      interface: 'client',
      feedback: null,
    });
    expect(await client.answers.feedback(id, { value: 'up', comment: 'Right.' })).toMatchObject({
      value: 'up',
    });
    expect((await client.answers.list({ feedback: 'up', limit: 5 })).answers).toMatchObject([
      { id },
    ]);
    expect((await client.answers.statistics()).total).toBeGreaterThan(0);
    const { before, after, difference } = await client.answers.replay(id, { model: false });
    expect(difference.map(({ change }) => change)).toEqual(before.statements.map(() => 'kept'));
    expect([before.cost_usd, after.cost_usd]).toEqual([expect.any(Number), 0]);
    for await (const answer of client.answers.all({ limit: 1 })) if (answer.id === id) break;
    await client.answers.delete(id);
    await expect(client.answers.get(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('reports that a ticket has no draft', async () => {
    const ticket = { helpdesk: 'chatwoot', ticket_id: '404' };
    const { tickets } = clientOf();
    await expect(tickets.draft(ticket)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(tickets.feedback({ ...ticket, value: 'up' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

/** The same example as a module for a bundler, with `env` in place of the process environment. */
const linesFor = (env: string): string => {
  const [code = ''] = codeOf('docs/client.md', 'js');
  return code.replaceAll('process.env', env).replaceAll('console.log', 'say');
};

describe('the example of its page', () => {
  const bundled = (name: string, source: string): string => {
    writeFileSync(join(folder, `${name}.js`), source);
    const outfile = join(folder, `${name}.bundle.js`);
    const entryPoints = [join(folder, `${name}.js`)];
    buildSync({
      bundle: true,
      format: 'esm',
      target: 'es2022',
      entryPoints,
      outfile,
      absWorkingDir: folder,
    });
    return readFileSync(outfile, 'utf8');
  };
  const [imported = '', ...rest] = linesFor('env').split('\n');

  it('runs in a worker', async () => {
    const source = `${imported}
      export default { fetch: async (_, env) => {
        const said = [];
        const say = (...words) => said.push(words.join(' '));
        ${rest.join('\n')}
        return new Response(said.join('\\n'));
      } };`;
    const script = bundled('worker', source);
    const worker = oneWorker(script, { bindings: variables() });
    try {
      const response = await worker.dispatchFetch('http://localhost/');
      expect(await response.text()).toMatch(/4 to 7.*confidence 0\.\d+\n[01]\.\d\d .*password/s);
    } finally {
      await worker.dispose();
    }
  });

  it('runs in a browser', async () => {
    const source = `${imported}
      const env = ${JSON.stringify(variables())};
      const said = [];
      const say = (...words) => said.push(words.join(' '));
      try { ${rest.join('\n')} } catch (error) { say(String(error)); }
      globalThis.said = said.join('\\n');`;
    const script = bundled('page', source);
    const browser = await launchChromium();
    try {
      // A page of the gateway's own origin.
      const page = await browser.newPage();
      await page.route('**/page', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
      );
      await page.goto(new URL('/page', product.url).href);
      await page.addScriptTag({ content: script, type: 'module' });
      const said = await page.waitForFunction('globalThis.said', undefined, { timeout: 60_000 });
      expect(await said.jsonValue()).toMatch(/4 to 7.*confidence 0\.\d+\n[01]\.\d\d .*password/s);
    } finally {
      await browser.close();
    }
  });
});

describe('npx constellation', () => {
  it('answers the command of its page', async () => {
    const lines = codeOf('docs/client.md', 'sh').join('\n').split('\n');
    const line = lines.find((each) => each.startsWith('npx constellation ask')) ?? 'false';
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
