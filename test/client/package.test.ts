import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../src/dev/functions.ts';
import type { Product } from '../../src/dev/run/product.ts';
import { runCommand } from '../dev/node-for-test.ts';
import { startEmbedded } from '../functions/product-for-test.ts';
import { codeOf, installPacked } from './packed-client.ts';

let product: Product;
let folder: string;
let remove: () => void;

beforeAll(async () => {
  [product, { folder, remove }] = await Promise.all([startEmbedded(), installPacked()]);
  await product.sync({ full: true });
}, 120_000);
afterAll(async () => {
  await product?.stop();
  remove?.();
});

/** The machine's own, below that of the checkout: as old as its users have it. */
const NODE = execFileSync('which', ['-a', 'node'], { encoding: 'utf8' }).trim().split('\n').at(-1) ?? 'node';
const installed = (): string => join(folder, 'node_modules/@constellation/client');

describe('the packed client', () => {
  it('runs the ten lines of its page in an empty folder, on the Node of the machine', { timeout: 60_000 }, async () => {
    const [code = ''] = codeOf('docs/client.md', 'js');
    writeFileSync(join(folder, 'ask.js'), code);
    const env = { CONSTELLATION_URL: product.url.href, CONSTELLATION_API_KEY: product.key };
    const { status, stdout, stderr } = await runCommand(NODE, ['ask.js'], { cwd: folder, env });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/4 to 7.*https:\/\/docs\.example\.com\/orders\/shipping\nconfidence 0\.\d+/s);
    expect(stdout).toMatch(/^0\.\d\d .*password/im);
  });

  it('has types that need no other package and are those of the contract', { timeout: 60_000 }, async () => {
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

    // Both ways, as far as the contract's own types say it: those of queries read a number from anything, dates travel as texts, and
    // further members of the same type as the optional ones that are named cannot be written as an object type.
    const all = names.map((name) => name.trim());
    const reads = all.filter((name) => !/Query$|^(?:KnowledgeGaps|Tickets|MemorySearch|Context)Request$/.test(name));
    const writes = all.filter((name) => !/^(?:MemorySearch|Context)Request$|^NavigatorResponse$/.test(name));
    // Below the checkout, whose types it reads.
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

  it('holds what it needs and nothing else', () => {
    const files = readdirSync(join(installed(), 'dist'));
    expect(files).toEqual(expect.arrayContaining(['index.js', 'index.d.ts', 'contract.d.ts', 'LICENSE']));
    const declared = files.filter((file) => file.endsWith('.d.ts'));
    const imports = declared.flatMap((file) => [
      ...readFileSync(join(installed(), 'dist', file), 'utf8').matchAll(/from '([^']+)'/g),
    ]);
    expect(imports.map(([, from = '']) => from).filter((from) => !from.startsWith('./'))).toEqual([]);
    const manifest: unknown = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      '@constellation',
    ]);
  });
});
