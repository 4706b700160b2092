import { describe, expect, it } from 'vitest';
import {
  checkPattern,
  patternCost,
  readTaxonomy,
} from '../../../src/support/intents/current-taxonomy.ts';
import patterns from './patterns.json' with { type: 'json' };
import refused from './refused-taxonomies.json' with { type: 'json' };
import { smallTaxonomy, withFirstIntent } from './small-taxonomy.ts';

type Json = Record<string, unknown>;
/** The small taxonomy with a change of itself, of its first intent, or of a fact or rule of that. */
const changed: Record<keyof typeof refused, (change: Json) => unknown> = {
  taxonomy: (change) => ({ ...smallTaxonomy(), ...change }),
  intent: (change) => withFirstIntent(change),
  fact: (change) =>
    withFirstIntent({ required_facts: [{ id: 'model', question: 'Which model?', ...change }] }),
  rule: (change) => withFirstIntent({ escalation: [{ to: 'Team', reason: 'Because', ...change }] }),
};
const [FACT, RULE] = ['intents.0.required_facts.0.', 'intents.0.escalation.0.'];
const PLACES = { taxonomy: '', intent: 'intents.0.', fact: FACT, rule: RULE };
const issueOf = (value: unknown) => {
  const read = readTaxonomy(value);
  return read.ok ? undefined : read.issues[0];
};

describe('readTaxonomy()', () => {
  it('accepts a minimal taxonomy, and fills in defaults', () => {
    const intents = [{ id: 'a', title: 'A', examples: ['one'], reply_template: 'Hello' }];
    expect(
      readTaxonomy({ version: 1, name: 'Least', intents, general_template: 'Hello' }),
    ).toMatchObject({
      ok: true,
      value: {
        language: 'en',
        intents: [{ auto_send: { allowed: false, min_confidence: 0.9 }, escalation: [] }],
      },
    });
  });
  const rows = (Object.keys(changed) as (keyof typeof refused)[]).flatMap((kind) =>
    (refused[kind] as [string, Json, string, string][]).map(
      ([title, change, path, message]) =>
        [title, changed[kind](change), `${PLACES[kind]}${path}`, message] as const,
    ),
  );
  const { intents } = smallTaxonomy();
  const many = Array.from({ length: 201 }, (_, at) => ({ ...intents[0], id: `intent_${at}` }));
  it.each<readonly [string, unknown, string, string]>([
    ...rows,
    ['that is not an object', 'text', '', 'expected object'],
    [
      'with two intents of one id',
      changed.taxonomy({ intents: [...intents, ...intents] }),
      'intents.4.id',
      'shipping',
    ],
    ['with more than 200 intents', changed.taxonomy({ intents: many }), 'intents', '200'],
    [
      'with too many out-of-scope examples',
      changed.taxonomy({ out_of_scope_examples: Array(1001).fill('x') }),
      ...(['out_of_scope_examples', '1000'] as const),
    ],
    [
      'with too many examples',
      changed.intent({ examples: Array(501).fill('text') }),
      'intents.0.examples',
      '500',
    ],
    [
      'with an endless example',
      changed.intent({ examples: ['x'.repeat(1001)] }),
      'intents.0.examples.0',
      '1000',
    ],
    [
      'with an endless pattern',
      changed.fact({ patterns: ['a'.repeat(301)] }),
      `${FACT}patterns.0`,
      '300',
    ],
  ])('refuses one %s, and names the path', (_, value, path, message) => {
    expect(issueOf(value)?.path).toBe(path.replace(/\.$/, ''));
    expect(issueOf(value)?.message).toMatch(new RegExp(message));
  });
  it('accepts every kind of rule', () => {
    const words = [{ any_of: ['smoke'] }, { min_customer_messages: 3 }, { confidence_below: 0.5 }];
    const rules = [...words, { coverage: ['none'] }, { always: true }];
    const escalation = rules.map((each) => ({ to: 'Team', reason: 'Because', ...each }));
    expect(readTaxonomy(changed.intent({ escalation })).ok).toBe(true);
  });
});

describe('checkPattern()', () => {
  it.each(patterns.accepted)('accepts %s', (pattern) =>
    expect(checkPattern(pattern)).toBeUndefined(),
  );
  it.each(patterns.refused)('refuses %s', (pattern = '', message) =>
    expect(checkPattern(pattern)).toContain(message),
  );
  it.each(['a{0,30}a{0,30}b', '(?:a|b){1,8}c', 'a?a?a?a?a?a?a?a?a?b', '[^.]{0,999}b'])(
    'accepts %s, which terminates on the worst text',
    (pattern) => {
      expect(checkPattern(pattern)).toBeUndefined();
      expect(new RegExp(pattern, 'iu').test('a'.repeat(8000))).toBe(false);
    },
  );
});

describe('patternCost()', () => {
  it.each(patterns.ways as [string, number][])('counts the alternatives of %s', (pattern, ways) =>
    expect(patternCost(pattern).ways).toBe(ways),
  );
  it.each(patterns.lengths as [string, number][])(
    'counts the characters of %s',
    (pattern, length) => expect(patternCost(pattern).length).toBe(length),
  );
});
