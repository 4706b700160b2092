import { describe, expect, it } from 'vitest';
import { ticketOptions } from '../../../src/dev/run/ticket-options.ts';

describe('ticketOptions()', () => {
  it('defaults to a sample message in Chatwoot', () => {
    expect(ticketOptions([])).toMatchObject({ tool: 'chatwoot', product: 'Apollo II', times: 1, isForged: false });
    expect(ticketOptions([]).message).not.toBe('');
  });
  it('reads the options', () => {
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
  ])('refuses %j with the reason', (args, says) => {
    expect(() => ticketOptions(args)).toThrow(says);
  });
});
