import { describe, expect, it } from 'vitest';
import { readConnections } from '../../src/helpdesk/connections.ts';

const ONE = 'one secret of 24 letters and more';
const TWO = 'two secrets of 24 letters and more';
const DESK = { apiUrl: 'https://desk.example.com/', secrets: ['SECRET'], token: 'TOKEN' };
const setting = (more: object = {}) => ({ ...DESK, ...more });
const variables = (helpdesks: unknown, more: object = {}) => ({
  HELPDESKS: JSON.stringify(helpdesks),
  ...{ SECRET: ONE, OLD_SECRET: TWO, TOKEN: 'three' },
  ...more,
});
const connectionsOf = (tools: object, more: object = {}) => readConnections(variables({ default: tools }, more));

describe('readConnections()', () => {
  it('finds a connection by workspace and tool, with the secrets that it names', () => {
    const chatwoot = setting({ secrets: ['SECRET', 'OLD_SECRET'], options: { accountId: '3' }, write: 'both' });
    expect(connectionsOf({ chatwoot }).find('default', 'chatwoot')).toEqual({
      ...{ apiUrl: 'https://desk.example.com', secrets: [ONE, TWO], apiToken: 'three' },
      ...{ options: { accountId: '3' }, write: 'both' },
    });
  });
  it.each([
    ['default', 'zendesk'],
    ['acme', 'chatwoot'],
    ['__proto__', 'chatwoot'],
  ] as const)('finds none for %s and %s', (workspace, tool) => {
    const connections = connectionsOf({ chatwoot: setting() });
    expect([connections.find(workspace, tool), connections.secretsOf(workspace, tool)]).toEqual([undefined, undefined]);
  });
  it('writes notes, without options, by default', () => {
    const connections = connectionsOf({ standard: { secrets: ['SECRET'] } });
    expect(connections.find('default', 'standard')).toMatchObject({ write: 'note', options: {}, apiUrl: undefined });
  });
  it.each([{}, { HELPDESKS: '' }])('has none without the variable: %j', (given) => {
    expect(readConnections(given).find('default', 'chatwoot')).toBeUndefined();
  });
  it('names the secret that is not set, when it is needed', () => {
    const connections = connectionsOf({ chatwoot: setting() }, { SECRET: '' });
    expect(() => connections.find('default', 'chatwoot')).toThrow(/SECRET is not set/);
    expect(() => connections.secretsOf('default', 'chatwoot')).toThrow(/SECRET is not set/);
  });
  it('returns the secrets of deliveries without an API token', () => {
    const connections = connectionsOf({ chatwoot: setting() }, { TOKEN: undefined });
    expect(connections.secretsOf('default', 'chatwoot')).toEqual([ONE]);
    expect(() => connections.find('default', 'chatwoot')).toThrow(/TOKEN is not set/);
  });
  const chatwoot = setting({ secrets: ['SECRET', 'OLD_SECRET'] });
  it.each([
    ['SECRET', TWO],
    ['OLD_SECRET', ONE],
  ])('skips %s when it is not set', (unset, left) => {
    const connections = connectionsOf({ chatwoot }, { [unset]: '' });
    expect(connections.secretsOf('default', 'chatwoot')).toEqual([left]);
    expect(connections.find('default', 'chatwoot')?.secrets).toEqual([left]);
  });
  it('trusts no secret of fewer than 24 characters, and says what to do', () => {
    const SECRET = 'x'.repeat(23);
    expect(connectionsOf({ chatwoot }, { SECRET }).secretsOf('default', 'chatwoot')).toEqual([TWO]);
    const short = connectionsOf({ chatwoot: setting() }, { SECRET });
    expect(() => short.secretsOf('default', 'chatwoot')).toThrow(
      /SECRET has fewer than 24 characters\. Set a longer one/,
    );
  });
  it('names all secrets when none is set', () => {
    const none = connectionsOf({ chatwoot }, { SECRET: '', OLD_SECRET: undefined });
    expect(() => none.secretsOf('default', 'chatwoot')).toThrow(/SECRET or OLD_SECRET is not set/);
  });
  it.each([
    ['no JSON', 'x'],
    ['a list', []],
    ['a tool that there is not', { default: { helpful: setting() } }],
    ['no secret', { default: { chatwoot: setting({ secrets: [] }) } }],
    ['a secret itself in place of its name', { default: { chatwoot: setting({ secrets: ['whsec_abc'] }) } }],
    ['something unknown', { default: { chatwoot: setting({ apiKey: 'x' }) } }],
    ['an address that is not https', { default: { chatwoot: setting({ apiUrl: 'http://desk.example.com' }) } }],
    ['an address of this machine', { default: { chatwoot: setting({ apiUrl: 'http://127.0.0.1:9000' }) } }],
    ['an address within a network', { default: { chatwoot: setting({ apiUrl: 'https://10.0.0.1' }) } }],
    ['an address with credentials', { default: { chatwoot: setting({ apiUrl: 'https://a:b@desk.example.com' }) } }],
    ['an address with a query', { default: { chatwoot: setting({ apiUrl: 'https://desk.example.com?x=1' }) } }],
  ])('refuses %s', (_, helpdesks) => {
    const given = helpdesks === 'x' ? { HELPDESKS: 'x' } : variables(helpdesks);
    expect(() => readConnections(given)).toThrow(/^Cannot (read|use)/);
  });
  it('accepts this machine in development', () => {
    const local = setting({ apiUrl: 'http://127.0.0.1:9000/chatwoot' });
    const connections = connectionsOf({ chatwoot: local }, { ENVIRONMENT: 'development' });
    expect(connections.find('default', 'chatwoot')?.apiUrl).toBe('http://127.0.0.1:9000/chatwoot');
  });
});
