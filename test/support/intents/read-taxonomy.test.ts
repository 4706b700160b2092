import { describe, expect, it } from 'vitest';
import { checkPattern, patternCost, readTaxonomy } from '../../../src/support/intents/current-taxonomy.ts';
import patterns from './patterns.json' with { type: 'json' };
import refused from './refused-taxonomies.json' with { type: 'json' };
import { smallTaxonomy } from './small-taxonomy.ts';

type Json = Record<string, unknown>;

/** The small taxonomy with its first intent changed. */
const withIntent = (change: Json): Json => {
  const { intents, ...rest } = smallTaxonomy();
  const [first, ...others] = intents;
  return { ...rest, intents: [{ ...first, ...change }, ...others] };
};
const withTaxonomy = (change: Json): Json => ({ ...smallTaxonomy(), ...change });
const fact = (change: Json): Json =>
  withIntent({ required_facts: [{ id: 'model', question: 'Which model?', ...change }] });
const rule = (change: Json): Json => withIntent({ escalation: [{ to: 'Team', reason: 'Because', ...change }] });

const INTENTS = smallTaxonomy().intents;
/** Rows of the file: the problem, the change, and the path and message of its issue. */
const rowsOf = (rows: readonly unknown[][], changed: (change: Json) => Json, at: string) =>
  (rows as [string, Json, string, string][]).map(
    ([title, change, path, message]): [string, unknown, string, RegExp] => [
      ...([title, changed(change)] as const),
      `${at}${path}`.replace(/\.$/, ''),
      new RegExp(message),
    ],
  );

const issueOf = (value: unknown) => {
  const read = readTaxonomy(value);
  return read.ok ? undefined : read.issues[0];
};

describe('readTaxonomy()', () => {
  it('accepts a minimal taxonomy, and fills in defaults', () => {
    const read = readTaxonomy({
      version: 1,
      name: 'Least',
      intents: [{ id: 'a', title: 'A', examples: ['one'], reply_template: 'Hello' }],
      general_template: 'Hello',
    });
    expect(read).toMatchObject({
      ok: true,
      value: { language: 'en', intents: [{ auto_send: { allowed: false, min_confidence: 0.9 }, escalation: [] }] },
    });
  });
  it.each<[string, unknown, string, RegExp]>([
    ['that is not an object', 'text', '', /expected object/],
    [
      'with two intents of one id',
      withTaxonomy({ intents: [...INTENTS, ...INTENTS] }),
      'intents.4.id',
      /twice: shipping/,
    ],
    [
      'with too many out-of-scope examples',
      withTaxonomy({ out_of_scope_examples: Array(1001).fill('x') }),
      'out_of_scope_examples',
      /1000/,
    ],
    ['with too many examples', withIntent({ examples: Array(501).fill('text') }), 'intents.0.examples', /500/],
    ['with an endless example', withIntent({ examples: ['x'.repeat(1001)] }), 'intents.0.examples.0', /1000/],
    ['with an endless pattern', fact({ patterns: ['a'.repeat(301)] }), 'intents.0.required_facts.0.patterns.0', /300/],
    ...rowsOf(refused.taxonomy, withTaxonomy, ''),
    ...rowsOf(refused.intent, withIntent, 'intents.0.'),
    ...rowsOf(refused.fact, fact, 'intents.0.required_facts.0.'),
    ...rowsOf(refused.rule, rule, 'intents.0.escalation.0.'),
  ])('refuses one %s, and names the path', (_, value, path, message) => {
    expect(issueOf(value)?.path).toBe(path);
    expect(issueOf(value)?.message).toMatch(message);
  });
  it('refuses more than 200 intents', () => {
    const intents = Array.from({ length: 201 }, (_, at) => ({ ...smallTaxonomy().intents[0], id: `intent_${at}` }));
    expect(issueOf(withTaxonomy({ intents }))?.path).toBe('intents');
  });
  it('accepts every kind of rule', () => {
    const words = [{ any_of: ['smoke'] }, { min_customer_messages: 3 }, { confidence_below: 0.5 }];
    const rules = [...words, { coverage: ['none'] }, { always: true }];
    const value = withIntent({ escalation: rules.map((each) => ({ to: 'Team', reason: 'Because', ...each })) });
    expect(readTaxonomy(value).ok).toBe(true);
  });
});

describe('checkPattern()', () => {
  it.each(patterns.accepted)('accepts %s', (pattern) => {
    expect(checkPattern(pattern)).toBeUndefined();
  });
  it.each(patterns.refused)('refuses %s', (pattern, message) => {
    expect(checkPattern(pattern as string)).toContain(message);
  });
  it('accepts only patterns that terminate on the worst text', () => {
    const text = 'a'.repeat(8000);
    for (const pattern of ['a{0,30}a{0,30}b', '(?:a|b){1,8}c', 'a?a?a?a?a?a?a?a?a?b', '[^.]{0,999}b']) {
      expect(checkPattern(pattern), pattern).toBeUndefined();
      const expression = new RegExp(pattern, 'iu');
      expect(expression.test(text), pattern).toBe(false);
    }
  });
});

describe('patternCost()', () => {
  it.each(patterns.ways)('counts the alternatives of %s', (pattern, ways) => {
    expect(patternCost(pattern as string).ways).toBe(ways);
  });
  it.each(patterns.lengths)('counts the characters of %s', (pattern, length) => {
    expect(patternCost(pattern as string).length).toBe(length);
  });
});
