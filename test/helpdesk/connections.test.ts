import { describe, expect, it } from 'vitest';
import { readConnections } from '../../src/helpdesk/connections.ts';

const setting = (more: object = {}) => ({
  apiUrl: 'https://desk.example.com/',
  secrets: ['SECRET'],
  token: 'TOKEN',
  ...more,
});
const variables = (helpdesks: unknown, more: object = {}) => ({
  HELPDESKS: JSON.stringify(helpdesks),
  ...{ SECRET: 'one', OLD_SECRET: 'two', TOKEN: 'three' },
  ...more,
});

describe('readConnections()', () => {
  it('finds a connection by workspace and tool, with the secrets that it names', () => {
    const chatwoot = setting({ secrets: ['SECRET', 'OLD_SECRET'], options: { accountId: '3' }, write: 'both' });
    const connections = readConnections(variables({ default: { chatwoot } }));
    expect(connections.find('default', 'chatwoot')).toEqual({
      ...{ apiUrl: 'https://desk.example.com', secrets: ['one', 'two'], apiToken: 'three' },
      ...{ options: { accountId: '3' }, write: 'both' },
    });
    expect(connections.find('default', 'zendesk')).toBeUndefined();
    expect(connections.find('acme', 'chatwoot')).toBeUndefined();
    expect(connections.find('__proto__', 'chatwoot')).toBeUndefined();
  });
  it('writes notes, without options, by default', () => {
    const connections = readConnections(variables({ default: { standard: { secrets: ['SECRET'] } } }));
    expect(connections.find('default', 'standard')).toMatchObject({ write: 'note', options: {}, apiUrl: undefined });
  });
  it('has none without the variable', () => {
    expect(readConnections({}).find('default', 'chatwoot')).toBeUndefined();
    expect(readConnections({ HELPDESKS: '' }).find('default', 'chatwoot')).toBeUndefined();
  });
  it('names the secret that is not set, when it is needed', () => {
    const connections = readConnections(variables({ default: { chatwoot: setting() } }, { SECRET: '' }));
    expect(() => connections.find('default', 'chatwoot')).toThrow(/SECRET is not set/);
    expect(() => connections.secretsOf('default', 'chatwoot')).toThrow(/SECRET is not set/);
    const noToken = readConnections(variables({ default: { chatwoot: setting() } }, { TOKEN: undefined }));
    expect(() => noToken.find('default', 'chatwoot')).toThrow(/TOKEN is not set/);
  });
  it('returns the secrets of deliveries without an API token', () => {
    const connections = readConnections(variables({ default: { chatwoot: setting() } }, { TOKEN: undefined }));
    expect(connections.secretsOf('default', 'chatwoot')).toEqual(['one']);
    expect(connections.secretsOf('default', 'zendesk')).toBeUndefined();
    expect(connections.secretsOf('acme', 'chatwoot')).toBeUndefined();
    expect(connections.secretsOf('__proto__', 'chatwoot')).toBeUndefined();
  });
  it('skips secrets that are not set', () => {
    const chatwoot = setting({ secrets: ['SECRET', 'OLD_SECRET'] });
    for (const [unset, left] of [
      ['SECRET', 'two'],
      ['OLD_SECRET', 'one'],
    ] as const) {
      const connections = readConnections(variables({ default: { chatwoot } }, { [unset]: '' }));
      expect(connections.secretsOf('default', 'chatwoot')).toEqual([left]);
      expect(connections.find('default', 'chatwoot')?.secrets).toEqual([left]);
    }
    const none = readConnections(variables({ default: { chatwoot } }, { SECRET: '', OLD_SECRET: undefined }));
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
    const connections = readConnections(variables({ default: { chatwoot: local } }, { ENVIRONMENT: 'development' }));
    expect(connections.find('default', 'chatwoot')?.apiUrl).toBe('http://127.0.0.1:9000/chatwoot');
  });
});
