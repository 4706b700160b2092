import { describe, expect, it } from 'vitest';
import { createReplyReader, encodeCommand, type RedisReply } from '../../../src/dev/stand-ins/redis/resp.ts';

const STREAM = Buffer.from(
  '+OK\r\n:-7\r\n$4\r\n\r\nü\r\n$-1\r\n*-1\r\n*3\r\n$1\r\na\r\n*1\r\n-ERR no\r\n:1\r\n$0\r\n\r\n-ERR x\r\n',
);
const REPLIES = [
  { kind: 'status', text: 'OK' },
  { kind: 'integer', value: -7 },
  { kind: 'bulk', bytes: Buffer.from('\r\nü') },
  { kind: 'nil' },
  { kind: 'nil' },
  {
    kind: 'array',
    items: [
      { kind: 'bulk', bytes: Buffer.from('a') },
      { kind: 'array', items: [{ kind: 'error', text: 'ERR no' }] },
      { kind: 'integer', value: 1 },
    ],
  },
  { kind: 'bulk', bytes: Buffer.from('') },
  { kind: 'error', text: 'ERR x' },
];

const readIn = (pieces: readonly Buffer[]): RedisReply[] => {
  const replies: RedisReply[] = [];
  const read = createReplyReader((reply) => replies.push(reply));
  for (const piece of pieces) read(piece);
  return replies;
};

describe('createReplyReader()', () => {
  it('reads every kind of reply', () => {
    expect(readIn([STREAM])).toEqual(REPLIES);
  });

  it('reads the same however the bytes are cut', () => {
    expect(readIn(Array.from(STREAM, (byte) => Buffer.from([byte])))).toEqual(REPLIES);
    for (let at = 1; at < STREAM.length; at++) {
      expect(readIn([STREAM.subarray(0, at), STREAM.subarray(at)]), `cut at ${at}`).toEqual(REPLIES);
    }
  });

  it('hands a reply over as soon as it is whole', () => {
    const first = Buffer.from('+A\r\n$3\r\nabc\r\n+B');
    expect(readIn([first.subarray(0, 10), first.subarray(10)])).toHaveLength(2);
    expect(readIn([Buffer.from('$3\r\nab'), Buffer.from('c\r\n')])).toHaveLength(1);
  });

  it('refuses what is no reply', () => {
    expect(() => readIn([Buffer.from('HTTP/1.1 400\r\n')])).toThrow('begins with "H"');
  });
});

describe('encodeCommand()', () => {
  it('counts bytes, not characters', () => {
    expect(encodeCommand(['SET', 'ü', '']).toString()).toBe('*3\r\n$3\r\nSET\r\n$2\r\nü\r\n$0\r\n\r\n');
  });
});
