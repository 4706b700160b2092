import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Healthz } from '../../../src/contract/core/librarian.ts';
import { temporaryFolder } from '../folder-for-test.ts';
import { startProduct } from '../node-for-test.ts';

const POLL = { timeout: 60_000, interval: 200 };

/** A disk of its own, in memory: only the administrator of the machine may mount one. */
const disk = join(temporaryFolder(), 'disk');
mkdirSync(disk);
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', disk]).status === 0;
afterAll(() => {
  if (isMounted) spawnSync('umount', ['-l', disk]);
});

const fill = () => {
  for (const size of [1 << 20, 4096]) {
    try {
      for (;;) appendFileSync(join(disk, 'fill'), Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
};

it.runIf(isMounted)(
  'says that the disk is full, answers all reads meanwhile, loses nothing, and goes on when there is space again',
  { timeout: 300_000 },
  async () => {
    const state = join(disk, 'state');
    const product = await startProduct(['--port', '0', '--state', state, '--no-helpdesk']);
    const headers = { authorization: `Bearer ${product.key}`, 'content-type': 'application/json' };
    const send = async (method: string, path: string, body?: object) => {
      const response = await fetch(new URL(path, product.url), {
        method,
        headers,
        signal: AbortSignal.timeout(20_000),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    };
    const health = async () => Healthz.parse(JSON.parse((await send('GET', '/healthz')).text));
    const put = (id: string, words: string) =>
      send('PUT', `/api/kb/articles/own%2F${id}`, { id: `own/${id}`, title: id, content: words });
    expect((await put('one', 'The velociflange is oiled every spring.')).status).toBe(201);
    await expect
      .poll(() => send('POST', '/v1/ask', { query: 'When is the velociflange oiled?' }), POLL)
      .toMatchObject({
        text: expect.stringContaining('every spring'),
      });
    expect(await health()).toMatchObject({ status: 'ok' });
    // The database of counters is made by its first use, which takes some seconds otherwise.
    expect((await send('GET', '/metrics')).status).toBe(200);
    fill();
    expect(await health()).toMatchObject({ status: 'degraded', storage: 'full' });

    const written = await put('two', 'x '.repeat(100_000));
    expect(written.status).toBe(503);
    const { error, message, info } = JSON.parse(written.text);
    expect(error).toBe('SERVICE_UNAVAILABLE');
    expect(message).toBe('Cannot store or read this: the disk of this machine is full');
    expect(info).toMatchObject({
      suggestion: expect.stringContaining('Free some space, then send the request again'),
    });
    const fact = { type: 'fact', content: 'The lamp is green.', confidence: 1 };
    expect(await send('POST', '/v1/workspaces/default/memories', fact)).toMatchObject({
      status: 503,
      text: expect.stringContaining('the disk of this machine is full'),
    });
    // Also right after writes have failed.
    for (let round = 0; round < 2; round += 1) {
      const readAll = () =>
        Promise.all([
          send('GET', '/api/kb/articles?limit=1'),
          send('GET', '/api/kb/articles/own%2Fone'),
          send('POST', '/v1/ask', { query: 'When is the velociflange oiled?' }),
          send('POST', '/v1/knowledge/search', { query: 'velociflange' }),
          send('POST', '/v1/support/analyze', { message: 'When is the velociflange oiled?' }),
          send('POST', '/v1/agents/analytics', { query: 'How many orders are there?' }),
          ...[
            '/v1/knowledge/gaps',
            '/v1/answers',
            '/v1/sync',
            '/v1/audit',
            '/v1/support/tickets',
            '/v1/librarians',
          ].map((path) => send('GET', path)),
          send('GET', '/v1/support/taxonomy'),
          send('GET', '/v1/workspaces/default/memories'),
          send('GET', '/metrics'),
        ]);
      // A busy machine may answer late, but never for want of space.
      let reads = await readAll();
      expect(reads.map(({ text }) => text).join('\n')).not.toContain(
        'disk of this machine is full',
      );
      if (reads.some(({ status }) => status === 504)) reads = await readAll();
      expect(reads.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual(
        reads.map(() => 200),
      );
      expect(reads[2]?.text).toContain('every spring');
    }
    rmSync(join(disk, 'fill'));
    await expect.poll(health, POLL).toMatchObject({ status: 'ok' });
    expect((await put('two', 'The lamp is green.')).status).toBe(201);
    expect((await send('POST', '/v1/workspaces/default/memories', fact)).status).toBe(201);
    expect((await send('GET', '/api/kb/articles/own%2Fone')).text).toContain('every spring');
    await product.stop();
  },
);
