import { describe, expect, it } from 'vitest';
import { ticketOptions } from '../../../src/dev/run/ticket-options.ts';

describe('ticketOptions()', () => {
  it('writes a message of its own into Chatwoot when nothing is said', () => {
    expect(ticketOptions([])).toMatchObject({ tool: 'chatwoot', product: 'Apollo II', times: 1, isForged: false });
    expect(ticketOptions([]).message).not.toBe('');
  });
  it('takes what is said', () => {
    const options = ticketOptions(['--tool', 'help-scout', '--times', '2', '--bad-signature', '--product', '']);
    expect(options).toMatchObject({ tool: 'help-scout', times: 2, isForged: true, product: '' });
  });
  it.each([
    [['--tool', 'front'], /--tool front/],
    [['--times', '0'], /--times 0/],
    [['--times', '2.5'], /--times 2\.5/],
    [['--message', ' '], /--message/],
    [['--name', ''], /--name/],
    [['--url', 'localhost:8787'], /--url localhost:8787/],
    [['--unknown'], /--unknown/],
  ])('refuses %j and says why', (args, says) => {
    expect(() => ticketOptions(args)).toThrow(says);
  });
});
