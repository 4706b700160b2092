import { describe, expect, it } from 'vitest';
import { readConnections } from '../../src/helpdesk/connections.ts';
import { helpdeskTools } from '../../src/helpdesk/tools/helpdesk-tools.ts';

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
    ['a tool that there is not', { helpful: setting() }, /unknown tool/],
    ['no secret', { chatwoot: setting({ secrets: [] }) }, /chatwoot: secrets/],
    [
      'a secret itself in place of its name',
      { chatwoot: setting({ secrets: ['whsec_abc'] }) },
      /not a name of a secret/,
    ],
    ['something unknown', { chatwoot: setting({ apiKey: 'x' }) }, /apiKey/],
    ['an address that is not https', { chatwoot: setting({ apiUrl: 'http://desk.example.com' }) }, /not an https/],
    ['an address of this machine', { chatwoot: setting({ apiUrl: 'http://127.0.0.1:9000' }) }, /not an https/],
    ['an address within a network', { chatwoot: setting({ apiUrl: 'https://10.0.0.1' }) }, /public host/],
    ['an address with credentials', { chatwoot: setting({ apiUrl: 'https://a:b@desk.example.com' }) }, /credentials/],
    ['an address with a query', { chatwoot: setting({ apiUrl: 'https://desk.example.com?x=1' }) }, /a query/],
    ['no option that the tool requires', { chatwoot: setting() }, /Chatwoot.*no options\.accountId/],
    ['a secret that is not set', { zendesk: setting({ secrets: ['UNSET'] }) }, /UNSET is not set/],
    ['a token that is not set', { zendesk: setting({ token: 'UNSET' }) }, /UNSET is not set/],
  ])('names %s, and the other connections work', (_, tools, problem) => {
    const whole = setting({ options: { accountId: '3' } });
    const connections = readConnections(
      variables({ default: { ...tools, freshdesk: DESK }, acme: { chatwoot: whole } }),
    );
    const [wrong, ...others] = connections.list(helpdeskTools);
    expect(wrong).toEqual({
      ...{ workspace: 'default', helpdesk: Object.keys(tools)[0] },
      problem: expect.stringMatching(problem),
    });
    expect(others.map((each) => each.problem)).toEqual([undefined, undefined]);
    expect(connections.find('default', 'freshdesk')).toBeDefined();
    expect(connections.find('acme', 'chatwoot')).toBeDefined();
    expect(connections.list(helpdeskTools, 'acme')).toHaveLength(1);
    expect(JSON.stringify(wrong)).not.toContain('whsec_abc');
  });
  it.each(['x', '[]', '"x"'])('names a variable that is no JSON object, and no delivery is lost: %s', (HELPDESKS) => {
    const connections = readConnections({ HELPDESKS });
    expect(connections.list(helpdeskTools)).toMatchObject([{ problem: expect.stringContaining('no') }]);
    expect(() => connections.secretsOf('default', 'chatwoot')).toThrow(/^Cannot read HELPDESKS/);
  });
  it('accepts this machine in development', () => {
    const local = setting({ apiUrl: 'http://127.0.0.1:9000/chatwoot' });
    const connections = connectionsOf({ chatwoot: local }, { ENVIRONMENT: 'development' });
    expect(connections.find('default', 'chatwoot')?.apiUrl).toBe('http://127.0.0.1:9000/chatwoot');
  });
});
