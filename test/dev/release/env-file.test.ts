import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvFile, secretsNamedFor } from '../../../src/dev/release/env-file.ts';

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
  it('names none when the settings are missing or unreadable', () => {
    expect(secretsNamedFor('webhooks', {})).toEqual([]);
    for (const text of ['', 'no JSON', '[1, "two"]', 'null', '{"a": {"b": {"secrets": 5}}}'])
      expect(secretsNamedFor('webhooks', { HELPDESKS: text })).toEqual([]);
  });
});

describe('readEnvFile()', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'constellation-env-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const fileWith = (variables: Record<string, string>): string => {
    const file = join(folder, 'production.env');
    writeFileSync(
      file,
      Object.entries(variables)
        .map(([name, value]) => `${name}='${value}'\n`)
        .join(''),
    );
    return file;
  };
  it('accepts the secrets that settings name', () => {
    const secrets = { ACME_KB_TOKEN: 'a', BETA_INTERCOM: 'b', BETA_NEW: 'c', BETA_OLD: 'd', BETA_TOKEN: 'e' };
    expect(readEnvFile(fileWith({ ...VARIABLES, ...secrets }))).toEqual({ ...VARIABLES, ...secrets });
  });
  it('refuses a name that nothing reads', () => {
    expect(() => readEnvFile(fileWith({ BETA_TOKEN: 'e' }))).toThrow(/BETA_TOKEN is no variable/);
  });
});
