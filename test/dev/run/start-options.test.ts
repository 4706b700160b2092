import { describe, expect, it } from 'vitest';
import { startOptions } from '../../../src/dev/run/start-options.ts';

describe('startOptions()', () => {
  it.each([
    [[], { kb: 'sample', port: 8787, state: '.constellation', fresh: false, helpdesk: true }],
    [['--kb', 'docs'], { kb: { folder: 'docs' } }],
    [['--kb', 'https://kb.example.com/api/kb/articles'], { kb: { url: 'https://kb.example.com/api/kb/articles' } }],
    [['--no-helpdesk'], { helpdesk: false }],
  ])('reads %j', (args, expected) => {
    expect(startOptions(args)).toMatchObject(expected);
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
