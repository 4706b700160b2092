import { beforeEach, expect, it, vi } from 'vitest';
import { readLines, readTurns } from '../../../src/web/console/views/answers/answer-lines.ts';

const { callForStream } = vi.hoisted(() => ({ callForStream: vi.fn() }));
vi.mock('../../../src/web/console/session/deployment.ts', () => ({ callForStream }));
vi.mock('../../../src/web/console/texts/texts.ts', () => ({ t: (key: string) => `<${key}>` }));

const { signal } = new AbortController();
const PAGE = 20;
let wasCancelled = false;

/** An export of pages of answers, newest first, each read when it is wanted. */
const exportOf = (total: number, lastLine = '') => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const ids = Array.from(
          { length: Math.min(PAGE, total - sent) },
          (_, at) => total - sent - at,
        );
        sent += ids.length;
        const lines = ids.map((id) => `${JSON.stringify({ id: `a${id}` })}\n`).join('');
        if (lines !== '') controller.enqueue(new TextEncoder().encode(lines));
        if (sent < total) return;
        if (lastLine !== '') controller.enqueue(new TextEncoder().encode(lastLine));
        controller.close();
      },
      cancel: () => {
        wasCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  callForStream.mockResolvedValue({ response: { body }, failure: (cause: unknown) => cause });
};
beforeEach(() => {
  wasCancelled = false;
});

const idsOf = (turns: readonly { id: string }[]) => turns.map(({ id }) => id);

it('reads the newest fifty turns of a long conversation and no more', async () => {
  exportOf(5000);
  const { turns, hasEarlier } = await readTurns('talk', { limit: 50, signal });
  expect([idsOf(turns).at(0), idsOf(turns).at(-1), turns.length]).toEqual(['a4951', 'a5000', 50]);
  expect([hasEarlier, wasCancelled]).toEqual([true, true]);
});

it('has no earlier ones where all are read', async () => {
  for (const total of [0, 3, 50]) {
    exportOf(total);
    const { turns, hasEarlier } = await readTurns('talk', { limit: 50, signal });
    expect([turns.length, hasEarlier]).toEqual([total, false]);
  }
});

it('says that an export broke off, unless what was wanted had come', async () => {
  const failed = '{"error":{"code":"INTERNAL_ERROR"}}\n';
  exportOf(60, failed);
  expect((await readTurns('talk', { limit: 50, signal })).turns).toHaveLength(50);
  exportOf(60, failed);
  await expect(readLines({}, { signal })).rejects.toThrow('<answers.export_failed>');
});
