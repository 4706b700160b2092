import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnvFile } from '../../../tools/release/env-file.ts';
import { secretsNamedFor } from '../../../tools/release/named-secrets.ts';
import { temporaryFolder } from '../folder-for-test.ts';

const VARIABLES = {
  KB_SOURCES:
    '{"acme": {"url": "https://kb.example.com/articles", "tokenSecret": "ACME_KB_TOKEN"}, "beta": {"url": "sources"}}',
  ARTICLE_SOURCES: '{"beta": {"tool": "intercom", "tokenSecret": "BETA_INTERCOM"}}',
  HELPDESKS:
    '{"beta": {"chatwoot": {"secrets": ["BETA_NEW", "BETA_OLD"], "token": "BETA_TOKEN"}}, "odd": {"zendesk": null}}',
};

describe('secretsNamedFor()', () => {
  it.each([
    ['library', ['ACME_KB_TOKEN']],
    ['sources', ['BETA_INTERCOM']],
    ['webhooks', ['BETA_NEW', 'BETA_OLD', 'BETA_TOKEN']],
    ['navigator', []],
  ])('gives %s the secrets that its own settings name', (id, names) => {
    expect(secretsNamedFor(id, VARIABLES)).toEqual(names);
  });
  it.each([undefined, '', 'no JSON', '[1, "two"]', 'null', '{"a": {"b": {"secrets": 5}}}'])(
    'names none for %s',
    (text) => {
      expect(secretsNamedFor('webhooks', { HELPDESKS: text })).toEqual([]);
    },
  );
});

describe('readEnvFile()', () => {
  const file = join(temporaryFolder(), 'production.env');
  const read = (variables: Record<string, string>) => {
    writeFileSync(
      file,
      Object.entries(variables)
        .map(([name, value]) => `${name}='${value}'`)
        .join('\n'),
    );
    return readEnvFile(file);
  };
  it('accepts the secrets that settings name', () => {
    const secrets = {
      ACME_KB_TOKEN: 'a',
      BETA_INTERCOM: 'b',
      BETA_NEW: 'c',
      BETA_OLD: 'd',
      BETA_TOKEN: 'e',
    };
    expect(read({ ...VARIABLES, ...secrets })).toEqual({ ...VARIABLES, ...secrets });
  });
  it.each([
    ['a name that nothing reads', 'BETA_TOKEN', /BETA_TOKEN is no variable/],
    [
      'the signing key of a function',
      'CONTEXT_SIGNING_KEY',
      /CONTEXT_SIGNING_KEY is set by npx constellation keys/,
    ],
    ['a variable of a single function', 'ENVIRONMENT', /ENVIRONMENT/],
  ])('refuses %s, without its value', (_, name, says) => {
    expect(() => read({ [name]: 'secret' })).toThrow(says);
    expect(() => read({ [name]: 'secret' })).not.toThrow('secret');
  });
});
