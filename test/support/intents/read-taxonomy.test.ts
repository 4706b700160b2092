import { describe, expect, it } from 'vitest';
import { checkPattern, patternCost, readTaxonomy } from '../../../src/support/intents/read-taxonomy.ts';
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

const issueOf = (value: unknown) => {
  const read = readTaxonomy(value);
  return read.ok ? undefined : read.issues[0];
};

describe('readTaxonomy()', () => {
  it('takes the least that a taxonomy needs, and fills in the rest', () => {
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
    ['that is no object', 'text', '', /expected object/],
    ['of another version', withTaxonomy({ version: 2 }), 'version', /expected 1/],
    ['with an unknown member', withTaxonomy({ intnets: [] }), 'intnets', /not a known member/],
    ['without intents', withTaxonomy({ intents: [] }), 'intents', /are none/],
    [
      'with two intents of one id',
      withTaxonomy({ intents: [...smallTaxonomy().intents, ...smallTaxonomy().intents] }),
      'intents.4.id',
      /stands twice: shipping/,
    ],
    ['without a general template', withTaxonomy({ general_template: undefined }), 'general_template', /./],
    ['with a language that is none', withTaxonomy({ language: 'English' }), 'language', /is no language tag/],
    [
      'with too much that belongs to no intent',
      withTaxonomy({ out_of_scope_examples: Array(1001).fill('spam') }),
      'out_of_scope_examples',
      /1000/,
    ],
    [
      'with an intent named unknown',
      withIntent({ id: 'unknown' }),
      'intents.0.id',
      /is kept for messages that fit no intent/,
    ],
    ['with an intent named general', withIntent({ id: 'general' }), 'intents.0.id', /is kept/],
    ['with an id that is none', withIntent({ id: 'Not Hashing' }), 'intents.0.id', /is no id/],
    ['with an intent without examples', withIntent({ examples: [] }), 'intents.0.examples', /are none/],
    ['with too many examples', withIntent({ examples: Array(501).fill('text') }), 'intents.0.examples', /500/],
    ['with an empty example', withIntent({ examples: ['fine', ' '] }), 'intents.0.examples.1', /is empty/],
    ['with an endless example', withIntent({ examples: ['x'.repeat(1001)] }), 'intents.0.examples.0', /1000/],
    [
      'with a template of an unknown language',
      withIntent({ reply_template: { English: 'Hello' } }),
      'intents.0.reply_template.English',
      /./,
    ],
    [
      'with a confidence above 1',
      withIntent({ auto_send: { allowed: true, min_confidence: 1.5 } }),
      'intents.0.auto_send.min_confidence',
      /1/,
    ],
    ['with a fact without a question', fact({ question: '' }), 'intents.0.required_facts.0.question', /is empty/],
    ['with a rule without a condition', rule({}), 'intents.0.escalation.0', /names no condition/],
    ['with a rule of no words', rule({ any_of: [] }), 'intents.0.escalation.0.any_of', /./],
    ['with a rule of an unknown coverage', rule({ coverage: ['some'] }), 'intents.0.escalation.0.coverage.0', /./],
    [
      'with a rule of no messages',
      rule({ min_customer_messages: 0 }),
      'intents.0.escalation.0.min_customer_messages',
      /./,
    ],
    [
      'with a rule of a confidence below 0',
      rule({ confidence_below: -1 }),
      'intents.0.escalation.0.confidence_below',
      /./,
    ],
    ['with a rule that is not always', rule({ always: false }), 'intents.0.escalation.0.always', /true/],
    [
      'with a misspelt placeholder',
      withIntent({ reply_template: 'Hello {customername}' }),
      'intents.0.reply_template',
      /holds \{customername\}/,
    ],
    [
      'with knowledge amid a sentence',
      withIntent({ reply_template: { en: 'Do {knowledge} now' } }),
      'intents.0.reply_template.en',
      /a line of its own/,
    ],
    [
      'with questions amid a sentence',
      withIntent({ reply_template: 'Tell us {missing_information} please' }),
      'intents.0.reply_template',
      /\{missing_information\} beside other words/,
    ],
    ['with a question in no language', fact({ question: {} }), 'intents.0.required_facts.0.question', /./],
    [
      'with knowledge twice',
      withTaxonomy({ general_template: '{knowledge}\n\n{knowledge}' }),
      'general_template',
      /more than once/,
    ],
    [
      'with a pattern that does not compile',
      fact({ patterns: ['(ab'] }),
      'intents.0.required_facts.0.patterns.0',
      /is no regular expression/,
    ],
    [
      'with a dangerous pattern',
      fact({ patterns: ['fine', '(a+)+$'] }),
      'intents.0.required_facts.0.patterns.1',
      /repeats without end/,
    ],
    ['with an endless pattern', fact({ patterns: ['a'.repeat(301)] }), 'intents.0.required_facts.0.patterns.0', /300/],
  ])('refuses one %s, and names the place', (_, value, path, message) => {
    expect(issueOf(value)?.path).toBe(path);
    expect(issueOf(value)?.message).toMatch(message);
  });

  it('refuses more intents than a classifier is made for', () => {
    const intents = Array.from({ length: 201 }, (_, at) => ({ ...smallTaxonomy().intents[0], id: `intent_${at}` }));
    expect(issueOf(withTaxonomy({ intents }))?.path).toBe('intents');
  });

  it('takes every kind of rule', () => {
    const rules = [
      { any_of: ['smoke'] },
      { min_customer_messages: 3 },
      { confidence_below: 0.5 },
      { coverage: ['none'] },
      { always: true },
    ];
    const value = withIntent({ escalation: rules.map((each) => ({ to: 'Team', reason: 'Because', ...each })) });
    expect(readTaxonomy(value).ok).toBe(true);
  });
});

describe('checkPattern()', () => {
  it.each([
    '\\bE[1-6]\\d\\b',
    '\\border (?:no\\.? )?#?\\d{4,12}',
    '[^.!?]{0,40}',
    '\\p{L}{2,20}',
    '(?<year>\\d{4})',
    '\\\\1',
    'a|b|c',
    '[+*]{1,3}\\+',
  ])('takes %s', (pattern) => {
    expect(checkPattern(pattern)).toBeUndefined();
  });

  it.each([
    ['\\d+', /repeats without end/],
    ['a*', /repeats without end/],
    ['a{3,}', /repeats without end/],
    ['(a|a)*b', /repeats without end/],
    ['(?:a{0,20}){0,20}b', /too many ways/],
    ['a{0,80}a{0,80}b', /too many ways/],
    ['(?:a|aa){1,40}b', /too many ways/],
    ['a{0,9999}', /repeats without end/],
    ['(?:a{900}){900}', /more than 1000 characters/],
    ['(a)\\1', /refers back/],
    ['(?<x>a)\\k<x>', /refers back/],
    ['(?=a)b', /looks ahead/],
    ['(?<!a)b', /looks ahead or behind/],
    ['[a', /is no regular expression/],
    ['\\_', /is no regular expression/],
  ])('refuses %s', (pattern, message) => {
    expect(checkPattern(pattern)).toMatch(message);
  });

  it('accepts only patterns that end on the worst of texts', () => {
    const text = 'a'.repeat(8000);
    for (const pattern of ['a{0,30}a{0,30}b', '(?:a|b){1,8}c', 'a?a?a?a?a?a?a?a?a?b', '[^.]{0,999}b']) {
      expect(checkPattern(pattern), pattern).toBeUndefined();
      const expression = new RegExp(pattern, 'iu');
      expect(expression.test(text), pattern).toBe(false);
    }
  });
});

describe('patternCost()', () => {
  it.each([
    ['abc', 1],
    ['a?b?', 4],
    ['a|b|c', 3],
    ['a{2,5}', 4],
    ['(?:a|b)c{0,1}', 4],
    ['(?:a|b){2}', 4],
    ['(?:a?)?', 3],
    ['[a|b]{3}', 1],
    ['\\(a\\|b\\)', 1],
    ['', 1],
  ])('counts the ways of %s', (pattern, ways) => {
    expect(patternCost(pattern).ways).toBe(ways);
  });

  it.each([
    ['abc', 3],
    ['a{2,5}b?', 6],
    ['(?:ab|c){1,3}', 6],
    ['', 0],
  ])('counts the characters of %s', (pattern, length) => {
    expect(patternCost(pattern).length).toBe(length);
  });
});
