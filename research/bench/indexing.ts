import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SyncStatus } from '../../src/contract/wire/sync.ts';
import { ROOT } from '../../tools/functions.ts';
import { SAMPLE_KNOWLEDGE_BASE } from '../../tools/sample/files.ts';
import { jsonlToFolder } from './jsonl-folder.ts';

const START_LIMIT_MS = 120_000;

/** From `npm start` to `ready` on a folder of articles, then a sync of the unchanged folder. */
export async function benchIndexing({ data }: { data?: string | undefined }): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'constellation-bench-'));
  try {
    const jsonl = data === undefined ? undefined : join(data, 'support-docs/articles.jsonl');
    const found = jsonl !== undefined && existsSync(jsonl);
    if (found) jsonlToFolder(jsonl, join(temporary, 'kb'));
    const kb = found ? join(temporary, 'kb') : SAMPLE_KNOWLEDGE_BASE;
    console.log(
      `From npm start to ready, on ${found ? 'support-docs' : 'the sample knowledge base (--data names a larger one)'}`,
    );
    console.table([
      { start: 'first', ...(await timeStart(kb, join(temporary, 'state'))) },
      { start: 'again, nothing changed', ...(await timeStart(kb, join(temporary, 'state'))) },
    ]);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

const timeStart = async (kb: string, state: string) => {
  const startedAt = performance.now();
  const child = spawn('node', ['tools/run/start.ts', '--port', '0', '--kb', kb, '--state', state], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    const [url, key] = await readyLine(child.stdout);
    const readyMs = performance.now() - startedAt;
    const resync = await timeResync(url, key);
    return { 'ready s': (readyMs / 1000).toFixed(2), ...resync };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
};

const readyLine = (output: NodeJS.ReadableStream): Promise<[url: string, key: string]> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error('Cannot measure the start: it was not ready in two minutes')),
      START_LIMIT_MS,
    );
    let text = '';
    output.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      const match = /^ready (\S+) key (\S+)$/m.exec(text);
      if (match?.[1] === undefined || match[2] === undefined) return;
      clearTimeout(timer);
      resolve([match[1], match[2]]);
    });
    output.on('end', () =>
      reject(
        new Error(`Cannot measure the start: it ended with ${JSON.stringify(text.slice(-500))}`),
      ),
    );
  });

const timeResync = async (url: string, key: string) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const startedAt = performance.now();
  await fetch(new URL('/v1/sync', url), { method: 'POST', headers, body: '{"full":true}' });
  for (;;) {
    const status = SyncStatus.parse(
      await (await fetch(new URL('/v1/sync', url), { headers })).json(),
    );
    if (status.state === 'idle') {
      return {
        articles: status.articles,
        chunks: status.chunks,
        'unchanged sync s': ((performance.now() - startedAt) / 1000).toFixed(2),
        writes: status.last_report?.writes,
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
