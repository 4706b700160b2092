import { expect, it } from 'vitest';
import { readConnections } from '../../../src/support/tools/connections.ts';
import { helpdeskTools } from '../../../src/support/tools/helpdesk-tools.ts';
import unusable from './fixtures/unusable-connections.json' with { type: 'json' };

const ONE = 'one secret of 24 letters and more';
const TWO = 'two secrets of 24 letters and more';
const DESK = { apiUrl: 'https://desk.example.com/', secrets: ['SECRET'], token: 'TOKEN' };
const BOTH = { ...DESK, secrets: ['SECRET', 'OLD_SECRET'] };
const SECRETS = { SECRET: ONE, OLD_SECRET: TWO, TOKEN: 'three' };
const read = (helpdesks: object, more: object = {}) =>
  readConnections({ HELPDESKS: JSON.stringify(helpdesks), ...SECRETS, ...more });
/** The connections of a workspace with one tool. */
const chatwoot = (setting: object, more?: object) => read({ default: { chatwoot: setting } }, more);

it('finds a connection by workspace and tool, with the secrets that it names', () => {
  const options = { accountId: '3' };
  expect(chatwoot({ ...BOTH, options, write: 'both' }).find('default', 'chatwoot')).toEqual({
    apiUrl: 'https://desk.example.com',
    secrets: [ONE, TWO],
    apiToken: 'three',
    options,
    write: 'both',
  });
});
it.each([
  ['default', 'zendesk'],
  ['acme', 'chatwoot'],
  ['__proto__', 'chatwoot'],
] as const)('finds none for %s and %s', (workspace, tool) => {
  const connections = chatwoot(DESK);
  expect([connections.find(workspace, tool), connections.secretsOf(workspace, tool)]).toEqual([
    undefined,
    undefined,
  ]);
});
it('writes notes, without options, by default', () => {
  const standard = read({ default: { standard: { secrets: ['SECRET'] } } }).find(
    'default',
    'standard',
  );
  expect(standard).toMatchObject({ write: 'note', options: {}, apiUrl: undefined });
});
it.each([{}, { HELPDESKS: '' }])('has none without the variable: %j', (given) => {
  expect(readConnections(given).find('default', 'chatwoot')).toBeUndefined();
});
it.each([
  ['all secrets', BOTH, {}, [ONE, TWO]],
  ['no API token, as deliveries need none', DESK, { TOKEN: undefined }, [ONE]],
  ['no secret that is not set', BOTH, { SECRET: '' }, [TWO]],
  ['no older secret that is not set', BOTH, { OLD_SECRET: '' }, [ONE]],
  ['no secret of fewer than 24 characters', BOTH, { SECRET: 'x'.repeat(23) }, [TWO]],
  ['a secret of 24 characters', DESK, { SECRET: 'x'.repeat(24) }, ['x'.repeat(24)]],
])('verifies deliveries with %s', (_, setting, more, secrets) => {
  expect(chatwoot(setting, more).secretsOf('default', 'chatwoot')).toEqual(secrets);
});
it.each([
  ['the secret that is not set', DESK, { SECRET: '' }, /SECRET is not set/],
  [
    'all secrets when none is set',
    BOTH,
    { SECRET: '', OLD_SECRET: undefined },
    /SECRET or OLD_SECRET is not set/,
  ],
  [
    'a short secret',
    DESK,
    { SECRET: 'x'.repeat(23) },
    /SECRET has fewer than 24 characters\. Set a longer one/,
  ],
])('names %s, when it is needed', (_, setting, more, problem) => {
  const connections = chatwoot(setting, more);
  expect(() => connections.secretsOf('default', 'chatwoot')).toThrow(problem);
  expect(() => connections.find('default', 'chatwoot')).toThrow(problem);
});
it.each(unusable)('names $title, and the other connections work', ({ tool, setting, problem }) => {
  const whole = { ...DESK, options: { accountId: '3' } };
  const connections = read({
    default: { [tool]: setting, freshdesk: DESK },
    acme: { chatwoot: whole },
  });
  const [wrong, ...others] = connections.list(helpdeskTools);
  expect(wrong).toEqual({
    workspace: 'default',
    helpdesk: tool,
    problem: expect.stringContaining(problem),
  });
  expect(others.map((each) => each.problem)).toEqual([undefined, undefined]);
  for (const [workspace, other] of [
    ['default', 'freshdesk'],
    ['acme', 'chatwoot'],
  ] as const)
    expect(connections.find(workspace, other)).toBeDefined();
  expect(connections.list(helpdeskTools, 'acme')).toHaveLength(1);
  expect(JSON.stringify(wrong)).not.toContain('whsec_abc');
});
it.each(['x', '[]', '"x"'])(
  'names a variable that is no JSON object, and no delivery is lost: %s',
  (HELPDESKS) => {
    const connections = readConnections({ HELPDESKS });
    expect(connections.list(helpdeskTools)).toMatchObject([
      { problem: expect.stringContaining('no') },
    ]);
    expect(() => connections.secretsOf('default', 'chatwoot')).toThrow(/^Cannot use HELPDESKS/);
  },
);
it('accepts this machine in development', () => {
  const local = chatwoot(
    { ...DESK, apiUrl: 'http://127.0.0.1:9000/chatwoot' },
    { ENVIRONMENT: 'development' },
  );
  expect(local.find('default', 'chatwoot')?.apiUrl).toBe('http://127.0.0.1:9000/chatwoot');
});
