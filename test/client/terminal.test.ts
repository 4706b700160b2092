import { describe, expect, it } from 'vitest';
import {
  clean,
  cleanLine,
  escapeControls,
  openTerminal,
  safeJson,
} from '../../client/command-line/terminal.ts';

const opened = (isTTY: boolean, env: NodeJS.ProcessEnv = {}) =>
  openTerminal({ stream: { isTTY, write: () => true }, env });

describe('the terminal', () => {
  it('has colour and links; neither without a terminal, and no colour with NO_COLOR', () => {
    const [shown, plain] = [opened(true), opened(false)];
    const link = '\u001b]8;;https://example.com/a\u001b\\A\u001b]8;;\u001b\\';
    expect([shown.bold('A'), shown.link('A', 'https://example.com/a')]).toEqual([
      '\u001b[1mA\u001b[0m',
      link,
    ]);
    expect([plain.bold('A'), plain.link('A', 'https://example.com/a')]).toEqual([
      'A',
      'A <https://example.com/a>',
    ]);
    expect(opened(true, { NO_COLOR: '1' }).bold('A')).toBe('A');
    expect(opened(true, { NO_COLOR: '' }).dim('A')).toBe('\u001b[2mA\u001b[0m');
    expect(opened(true, { TERM: 'dumb' }).link('A', undefined)).toBe('A');
  });

  it.each([
    'https://example.com/\u001b\\\u001b[2J',
    'https://example.com/\u0007\u009c',
    'https://ex.com/#\u202e\u0000',
  ])('escapes an address that would end its link: %j', (url) => {
    const link = opened(true).link('A', url);
    const address = link.slice('\u001b]8;;'.length, -'\u001b\\A\u001b]8;;\u001b\\'.length);
    expect(address).toMatch(/^https:[\x21-\x7e]+$/);
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'x', 7])('does not link %j', (url) => {
    expect(opened(true).link('A', url as string)).toBe('A');
  });

  it('removes control sequences from text', () => {
    expect(clean('a\u001b[31mb\u001b]0;title\u0007c\u009b2Jd\re\u0000\u202ef\tg\nh')).toBe(
      'abcdef\tg\nh',
    );
    expect(cleanLine(' a\n\n b\u2028c ')).toBe('a bc');
    expect([clean(undefined), clean({})]).toEqual(['', '']);
    expect(JSON.parse(safeJson({ a: '\u009b\u202e\u007f' }))).toEqual({ a: '\u009b\u202e\u007f' });
    expect(safeJson({ a: '\u009b\u202e\u007f\u001b' })).toMatch(/^[\n\x20-\x7e]*$/);
    const line = escapeControls(`${JSON.stringify({ a: 'right\u200e to left' })}\n`);
    expect([line, JSON.parse(line)]).toEqual([
      '{"a":"right\\u200e to left"}\n',
      { a: 'right\u200e to left' },
    ]);
  });
});
