import type { RedisReply } from './resp.ts';

export type ReplyEntry = { result: unknown } | { error: string };

/** A reply as JSON. With base64 every text is encoded, except the status `OK`; errors never are. */
export function showReply(reply: RedisReply, { base64 }: { base64: boolean }): ReplyEntry {
  if (reply.kind === 'error') return { error: wordsOf(reply.text) };
  return { result: resultOf(reply, base64) };
}

const resultOf = (reply: RedisReply, base64: boolean): unknown => {
  switch (reply.kind) {
    case 'nil':
      return null;
    case 'integer':
      return reply.value;
    case 'array':
      return reply.items.map((item) => resultOf(item, base64));
    case 'bulk':
      return reply.bytes.toString(base64 ? 'base64' : 'utf8');
    case 'status':
      return base64 && reply.text !== 'OK'
        ? Buffer.from(reply.text).toString('base64')
        : reply.text;
    case 'error':
      return reply.text;
  }
};

const wordsOf = (text: string): string =>
  text.startsWith('OOM ') ? 'ERR DB capacity quota exceeded' : text;
