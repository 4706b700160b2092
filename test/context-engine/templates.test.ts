import { describe, expect, it } from 'vitest';
import { InvalidContextConfiguration } from '../../src/context-engine/errors.ts';
import { checkedTemplate, DEFAULT_TEMPLATES, renderMemory, withMetadata } from '../../src/context-engine/registry.ts';
import { ContextTemplate } from '../../src/contract/context-engine.ts';
import { memoryOf } from './memory-storage.ts';

const fields = {
  type: 'decision',
  content: 'Ship in June.',
  confidence: 0.9,
  created_at: '2026-01-15T12:00:00.5+02:00',
};
const result = { memory: memoryOf('m', fields), score: 1 / 3 };
const template = (memoryFormat: string, includeMetadata = false): ContextTemplate => ({
  name: 't',
  memoryFormat,
  separator: '\n',
  includeMetadata,
});

describe('DEFAULT_TEMPLATES', () => {
  it.each(Object.entries(DEFAULT_TEMPLATES))('has a valid %s under its own name', (name, known) => {
    expect(ContextTemplate.parse(known).name).toBe(name);
  });

  it('write a memory as the specification shows', () => {
    expect(renderMemory(DEFAULT_TEMPLATES.chat, result)).toBe('- Ship in June.');
    expect(renderMemory(DEFAULT_TEMPLATES.summary, result)).toBe('Ship in June.');
    expect(renderMemory(DEFAULT_TEMPLATES.detailed, result)).toBe(
      '[decision] Ship in June. (confidence: 0.90, 2026-01-15T10:00:00Z)',
    );
  });
});

describe('renderMemory()', () => {
  it('replaces all five variables, also twice and with blanks inside', () => {
    const all = template('{{type}}|{{ content }}|{{confidence}}|{{timestamp}}|{{score}}|{{type}}');
    expect(renderMemory(all, result)).toBe('decision|Ship in June.|0.90|2026-01-15T10:00:00Z|0.33|decision');
  });

  it.each(['{{type}} {{content}}', '$& $1 $` $$', '{{{content}}}', '\\{{score}}'])(
    'copies %j from a memory unchanged',
    (content) => {
      const memory = { ...result, memory: { ...result.memory, content } };
      expect(renderMemory(template('<{{content}}> {{type}}'), memory)).toBe(`<${content}> decision`);
    },
  );

  it('copies a type that looks like a variable unchanged', () => {
    const memory = { ...result, memory: { ...result.memory, type: '{{content}}' } };
    expect(renderMemory(template('{{type}}: {{content}}'), memory)).toBe('{{content}}: Ship in June.');
  });
  it('copies an invalid time unchanged', () => {
    const memory = { ...result, memory: { ...result.memory, created_at: 'yesterday' } };
    expect(renderMemory(template('{{timestamp}}'), memory)).toBe('yesterday');
  });
});

describe('withMetadata()', () => {
  const written = (of: ContextTemplate, wanted?: boolean) => renderMemory(withMetadata(of, wanted), result);
  it('keeps a template unchanged by default', () => {
    expect(withMetadata(DEFAULT_TEMPLATES.chat, undefined)).toBe(DEFAULT_TEMPLATES.chat);
    expect(written(template('{{type}}: {{content}}', false))).toBe('decision: Ship in June.');
    expect(written(template('{{type}}: {{content}}', true))).toBe('decision: Ship in June.');
  });
  it('appends type, confidence and time to a format without them', () => {
    const expected = '- Ship in June. (decision, confidence: 0.90, 2026-01-15T10:00:00Z)';
    expect(written(DEFAULT_TEMPLATES.chat, true)).toBe(expected);
    expect(written(template('- {{content}}', true))).toBe(expected);
  });

  it.each([
    [DEFAULT_TEMPLATES.detailed.memoryFormat, 'Ship in June.'],
    ['{{content}} [{{type}}]', 'Ship in June.'],
    ['{{content}} (score {{score}})', 'Ship in June. (score 0.33)'],
    ['## {{type}}\n{{content}}', '## \nShip in June.'],
    ['{{timestamp}}', 'Ship in June.'],
  ])('removes them from %j on request', (format, expected) => {
    expect(written(template(format, true), false)).toBe(expected);
  });
});

describe('checkedTemplate()', () => {
  it('is a copy under its registered name', () => {
    const own = template('{{content}}');
    const checked = checkedTemplate('mine', own);
    own.memoryFormat = 'changed';
    expect(checked).toEqual({ ...template('{{content}}'), name: 'mine' });
  });

  it.each<[string, unknown, RegExp]>([
    ['an unknown variable', { ...template('{{person}}') }, /memoryFormat: has an unknown variable: person/],
    ['no format', { ...template('') }, /memoryFormat: is empty/],
    ['no separator', { name: 't', memoryFormat: 'x', includeMetadata: false }, /separator: is missing/],
    ['a huge header', { ...template('x'), header: 'x'.repeat(5000) }, /header/],
    ['an unknown member', { ...template('x'), colour: 'red' }, /colour: is not a known member/],
  ])('refuses %s', (_, wrong, message) => {
    const register = () => checkedTemplate('t', wrong as ContextTemplate);
    expect(register).toThrow(InvalidContextConfiguration);
    expect(register).toThrow(message);
  });

  it('refuses an empty name', () => expect(() => checkedTemplate('', template('x'))).toThrow(/name: is empty/));
});
