import { describe, expect, it } from 'vitest';
import { startOptions } from '../../../tools/run/start-options.ts';
import { ticketOptions } from '../../../tools/run/ticket-options.ts';

describe('startOptions()', () => {
  const kb = 'https://kb.example.com/api/kb/articles';
  it.each([
    [
      [],
      {
        kb: 'sample',
        port: 8787,
        state: '.constellation/sample',
        keyFolder: '.constellation',
        fresh: false,
        helpdesk: true,
      },
    ],
    [['--kb', 'docs'], { kb: { folder: 'docs' }, keyFolder: '.constellation' }],
    [['--kb', 'docs', '--state', 'mine'], { state: 'mine', keyFolder: 'mine', isMoved: false }],
    [['--moved'], { isMoved: true }],
    [['--kb', kb], { kb: { url: kb } }],
    [['--no-helpdesk'], { helpdesk: false }],
  ])('reads %j', (args, expected) => {
    expect(startOptions(args)).toMatchObject(expected);
  });
  it('gives each knowledge base a state of its own, named for people', () => {
    const stateOf = (...args: string[]) => startOptions(args).state;
    expect(stateOf('--kb', 'docs')).toMatch(/^\.constellation\/docs-[0-9a-f]{8}$/);
    expect(stateOf('--kb', '../Unsere Handbücher')).toMatch(
      /^\.constellation\/unsere-handbücher-[0-9a-f]{8}$/,
    );
    expect(stateOf('--kb', kb)).toMatch(/^\.constellation\/kb-example-com-[0-9a-f]{8}$/);
    const sources = [
      ['--kb', 'docs'],
      ['--kb', 'other/docs'],
      ['--kb', kb],
      ['--kb', `${kb}/2`],
      ['--site', 'https://kb.example.com/'],
      [],
    ];
    expect(new Set(sources.map((args) => stateOf(...args))).size).toBe(sources.length);
    // However it is written.
    expect(stateOf('--kb', './docs/')).toBe(stateOf('--kb', 'docs'));
  });
  it.each([
    [['--port', 'http'], /--port http/],
    [['--port', '70000'], /--port 70000/],
    [['--kb', 'https://'], /--kb https:\/\//],
    [['--web-search', 'google'], /--web-search google/],
    [['--web-search', 'local', '--kb', 'docs'], /the invented shops belong to the sample/],
    [['--unknown'], /--unknown/],
    [['folder'], /folder/],
  ])('refuses %j with the reason', (args, says) => {
    expect(() => startOptions(args)).toThrow(says);
  });
});

describe('ticketOptions()', () => {
  it('defaults to a sample message in Chatwoot', () => {
    expect(ticketOptions([])).toMatchObject({
      tool: 'chatwoot',
      product: 'Apollo II',
      times: 1,
      isForged: false,
    });
    expect(ticketOptions([]).message).not.toBe('');
  });
  it('reads the options', () => {
    const options = ticketOptions([
      '--tool',
      'help-scout',
      '--times',
      '2',
      '--bad-signature',
      '--product',
      '',
    ]);
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
