import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { LibrarianResponse } from '../src/contract/core/response.ts';
import { ROOT } from '../tools/functions.ts';
import type { Product } from '../tools/run/product.ts';
import { codeOf } from './client/packed-packages.ts';
import { startEmbedded } from './functions/product-for-test.ts';
import { runCommand } from './tools/node-for-test.ts';

/** Runs the examples of README and docs with the address and key of a running product; packed-client.test.ts runs those of docs/client.md. */
let product: Product;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-pages-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  product = await startEmbedded();
  await product.sync({ full: true });
}, 400_000);
afterAll(async () => {
  await product?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const LOCAL = 'http://127.0.0.1:8787';
/** The code block of a page in this language with these words. */
const pasted = (page: string, language: string, words: string): string => {
  const code = codeOf(page, language).find((each) => each.includes(words)) ?? '';
  expect(code, `${page} has a block with ${words}`).toContain(LOCAL);
  return code.replaceAll(LOCAL, product.url.origin).replaceAll('ck_…', product.key);
};
const run = (command: string, args: readonly string[]) =>
  runCommand(command, args, { cwd: folder, env: { CONSTELLATION_API_KEY: product.key } });

describe('examples of the pages', { timeout: 60_000 }, () => {
  it('the question of the README is answered', async () => {
    const { status, stdout } = await run('sh', ['-c', pasted('README.md', 'sh', 'curl')]);
    const { answer, sources } = LibrarianResponse.parse(JSON.parse(stdout));
    expect(status).toBe(0);
    expect(answer).toContain('| United States, Canada | 4 to 7 | €29 |');
    expect(sources?.[0]?.url).toBe('https://docs.example.com/orders/shipping');
  });

  it('curl shows the events of a stream', async () => {
    const { status, stdout } = await run('sh', ['-c', pasted('docs/streaming.md', 'sh', 'curl')]);
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^event: routing\n.*\nevent: statement\n.*event: done\n/s),
    ]);
  });

  it('the example with the openai package prints an answer with its source', async () => {
    const code = pasted('docs/openai-compatible.md', 'ts', 'OpenAI');
    expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
    writeFileSync(join(folder, 'ask.ts'), code);
    const { status, stdout, stderr } = await run(process.execPath, ['ask.ts']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /\| Turbo \| 49 \| 47 \| 45 \|[\s\S]*\[1\][\s\S]*Sources\n\n1\. \[.*\]\(https:/,
    );
  });

  it('the configuration of an assistant reaches the tools of MCP', async () => {
    const Entry = z.object({ url: z.string(), headers: z.record(z.string(), z.string()) });
    const entry = Entry.parse(
      JSON.parse(pasted('docs/mcp.md', 'json', '"http"')).mcpServers.constellation,
    );
    const client = new Client(
      { name: 'assistant', version: '1' },
      { versionNegotiation: { mode: 'auto' } },
    );
    const requestInit = { headers: entry.headers };
    await client.connect(new StreamableHTTPClientTransport(new URL(entry.url), { requestInit }));
    const answer = await client.callTool({
      name: 'ask',
      arguments: { query: 'How long does shipping to Canada take?' },
    });
    expect(JSON.stringify(answer.content)).toContain('4 to 7');
    await client.close();
  });
});
