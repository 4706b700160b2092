import { describe, expect, it } from 'vitest';
import { InvalidContextConfiguration } from '../../src/context-engine/errors.ts';
import { checkedTemplate, DEFAULT_TEMPLATES, renderMemory, withMetadata } from '../../src/context-engine/registry.ts';
import { ContextTemplate } from '../../src/contract/context-engine.ts';
import { memoryOf } from './engine-for-test.ts';

const { chat, detailed, summary } = DEFAULT_TEMPLATES;
const MEMORY = memoryOf('m', {
  ...{ type: 'decision', content: 'Ship in June.', confidence: 0.9, created_at: '2026-01-15T12:00:00.5+02:00' },
});
const template = (memoryFormat: string, includeMetadata = false): ContextTemplate => ({
  ...{ name: 't', memoryFormat, separator: '\n', includeMetadata },
});
const written = (of: ContextTemplate, memory: object = {}) =>
  renderMemory(of, { memory: { ...MEMORY, ...memory }, score: 1 / 3 });

it.each(Object.entries(DEFAULT_TEMPLATES))('DEFAULT_TEMPLATES has a valid %s under its own name', (name, known) => {
  expect(ContextTemplate.parse(known).name).toBe(name);
});

describe('renderMemory()', () => {
  it.each<[string, ContextTemplate, object, string]>([
    ['the chat template', chat, {}, '- Ship in June.'],
    ['the summary template', summary, {}, 'Ship in June.'],
    ['the detailed template', detailed, {}, '[decision] Ship in June. (confidence: 0.90, 2026-01-15T10:00:00Z)'],
    [
      'all five variables, also twice and with blanks inside',
      template('{{type}}|{{ content }}|{{confidence}}|{{timestamp}}|{{score}}|{{type}}'),
      {},
      'decision|Ship in June.|0.90|2026-01-15T10:00:00Z|0.33|decision',
    ],
    ['an invalid time unchanged', template('{{timestamp}}'), { created_at: 'yesterday' }, 'yesterday'],
    [
      'variables in a type unchanged',
      template('{{type}}: {{content}}'),
      { type: '{{score}}' },
      '{{score}}: Ship in June.',
    ],
    ...['{{type}} {{content}}', '$& $1 $` $$', '{{{content}}}', '\\{{score}}'].map(
      (content): [string, ContextTemplate, object, string] => [
        `${content} in a memory unchanged`,
        template('<{{content}}> {{type}}'),
        { content },
        `<${content}> decision`,
      ],
    ),
  ])('writes %s', (_, of, memory, expected) => expect(written(of, memory)).toBe(expected));
});

describe('withMetadata()', () => {
  const ALL = '- Ship in June. (decision, confidence: 0.90, 2026-01-15T10:00:00Z)';
  it.each<[string, ContextTemplate, boolean | undefined, string]>([
    ['keeps a format that is to have none', template('{{type}}: {{content}}'), undefined, 'decision: Ship in June.'],
    ['keeps a format that has some', template('{{type}}: {{content}}', true), undefined, 'decision: Ship in June.'],
    ['appends it where the template wants it', template('- {{content}}', true), undefined, ALL],
    ['appends it on request', chat, true, ALL],
    ['removes it with its brackets', detailed, false, 'Ship in June.'],
    ['removes it behind the content', template('{{content}} [{{type}}]', true), false, 'Ship in June.'],
    ['keeps the score', template('{{content}} (score {{score}})', true), false, 'Ship in June. (score 0.33)'],
    ['keeps other text', template('## {{type}}\n{{content}}', true), false, '## \nShip in June.'],
    ['leaves the content where nothing else is', template('{{timestamp}}', true), false, 'Ship in June.'],
  ])('%s', (_, of, wanted, expected) => expect(written(withMetadata(of, wanted))).toBe(expected));
});

describe('checkedTemplate()', () => {
  it('is a copy under its registered name', () => {
    const own = template('{{content}}');
    const checked = checkedTemplate('mine', own);
    own.memoryFormat = 'changed';
    expect(checked).toEqual({ ...template('{{content}}'), name: 'mine' });
  });

  it.each<[string, unknown, RegExp, string?]>([
    ['an unknown variable', template('{{person}}'), /memoryFormat: has an unknown variable: person/],
    ['no format', template(''), /memoryFormat: is empty/],
    ['no separator', { name: 't', memoryFormat: 'x', includeMetadata: false }, /separator: is missing/],
    ['a huge header', { ...template('x'), header: 'x'.repeat(4001) }, /header/],
    ['an unknown member', { ...template('x'), colour: 'red' }, /colour: is not a known member/],
    ['an empty name', template('x'), /name: is empty/, ''],
  ])('refuses %s', (_, wrong, message, name = 't') => {
    const register = () => checkedTemplate(name, wrong as ContextTemplate);
    expect(register).toThrow(InvalidContextConfiguration);
    expect(register).toThrow(message);
  });
});
