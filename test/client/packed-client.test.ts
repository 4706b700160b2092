import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Constellation } from '../../client/constellation.ts';
import { launchChromium } from '../../research/screenshots/launch-chromium.ts';
import { ROOT } from '../../tools/functions.ts';
import type { Product } from '../../tools/run/product.ts';
import { startEmbedded } from '../functions/product-for-test.ts';
import { oneWorker } from '../platform/storage/worker-for-test.ts';
import { runCommand } from '../tools/node-for-test.ts';
import { codeOf, installPacked, SYSTEM_NODE } from './packed-packages.ts';

let product: Product;
let folder: string;
let remove: () => void;

beforeAll(async () => {
  [product, { folder, remove }] = await Promise.all([
    startEmbedded(),
    installPacked('@constellation/client'),
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
const clientOf = () => new Constellation({ url: product.url, key: product.key });
const installed = (): string => join(folder, 'node_modules/@constellation/client');

describe('the packed client', () => {
  it('runs the example of its page in an empty folder, on the Node of the system', async () => {
    const [code = ''] = codeOf('docs/client.md', 'js');
    writeFileSync(join(folder, 'ask.js'), code);
    const { status, stdout, stderr } = await runCommand(SYSTEM_NODE, ['ask.js'], {
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
