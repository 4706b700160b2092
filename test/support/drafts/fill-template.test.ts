import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fillTemplate,
  nameInGreeting,
  withoutName,
} from '../../../src/support/drafts/fill-template.ts';
import cases from './fill-template.json' with { type: 'json' };

type TemplateValues = Parameters<typeof fillTemplate>[1];

describe('fillTemplate()', () => {
  it.each(cases.templates as [string, string, string, TemplateValues, object][])(
    'fills in %s',
    (_what, text, language, values, expected) =>
      expect(fillTemplate({ id: 'general', text, language }, values)).toMatchObject(expected),
  );
});

describe('nameInGreeting()', () => {
  it.each(cases.kept)('keeps a name, without invisible characters: %j', (name, greeted) =>
    expect(nameInGreeting(name)).toBe(greeted),
  );
  it.each([undefined, ...cases.refused])('returns undefined for an invalid name: %j', (name) =>
    expect(nameInGreeting(name)).toBeUndefined(),
  );
});

describe('withoutName()', () => {
  it.each(cases.masked)('masks %j: %j', (name, text, left) =>
    expect(withoutName(text, name)).toBe(left),
  );
  it.each(cases.words)('keeps words other than the name %j: %j', (name, text) =>
    expect(withoutName(text, name)).toBe(text),
  );
  it('accepts any name and any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, text) => {
        withoutName(`${text} ${name}\n${name}`, name);
      }),
    );
  });
});
