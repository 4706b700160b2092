import { describe, expect, it } from 'vitest';
import { startOptions } from '../../../src/dev/run/start-options.ts';

describe('startOptions()', () => {
  it('takes the sample knowledge base on port 8787 when nothing is said', () => {
    expect(startOptions([])).toMatchObject({ kb: 'sample', port: 8787, state: '.constellation', fresh: false });
  });

  it('distinguishes a folder from an address', () => {
    expect(startOptions(['--kb', 'docs']).kb).toEqual({ folder: 'docs' });
    expect(startOptions(['--kb', 'https://kb.example.com/api/kb/articles']).kb).toEqual({
      url: 'https://kb.example.com/api/kb/articles',
    });
  });

  it('starts local helpdesks by default', () => {
    expect([startOptions([]).helpdesk, startOptions(['--no-helpdesk']).helpdesk]).toEqual([true, false]);
  });

  it.each([
    [['--port', 'http'], /--port http/],
    [['--port', '70000'], /--port 70000/],
    [['--kb', 'https://'], /--kb https:\/\//],
    [['--web-search', 'google'], /--web-search google/],
    [['--web-search', 'local', '--kb', 'docs'], /the invented shops belong to the sample/],
    [['--unknown'], /--unknown/],
    [['folder'], /folder/],
  ])('refuses %j and says why', (args, says) => {
    expect(() => startOptions(args)).toThrow(says);
  });
});
