import { describe, expect, it } from 'vitest';
import { ContextTemplate } from '../../../src/contract/wire/context-engine.ts';
import { InvalidContextConfiguration } from '../../../src/memory/context-engine/errors.ts';
import {
  checkedTemplate,
  DEFAULT_TEMPLATES,
  renderMemory,
  withMetadata,
} from '../../../src/memory/context-engine/registry.ts';
import { memoryOf } from './engine-for-test.ts';
import cases from './templates.json' with { type: 'json' };

const MEMORY = memoryOf('m', {
  type: 'decision',
  content: 'Ship in June.',
  confidence: 0.9,
  created_at: '2026-01-15T12:00:00.5+02:00',
});
const templateOf = (memoryFormat: string, includeMetadata = false): ContextTemplate => ({
  name: 't',
  memoryFormat,
  separator: '\n',
  includeMetadata,
});
/** A built-in template by its name, or one with a format of its own. */
interface TemplateRow {
  template?: string;
  format?: string;
  has?: boolean;
}
const BUILT_IN: Record<string, ContextTemplate> = DEFAULT_TEMPLATES;
const rowTemplate = ({ template = '', format = '', has }: TemplateRow) =>
  BUILT_IN[template] ?? templateOf(format, has);

it.each(Object.entries(DEFAULT_TEMPLATES))(
  'DEFAULT_TEMPLATES has a valid %s under its own name',
  (name, known) => {
    expect(ContextTemplate.parse(known).name).toBe(name);
  },
);
it.each(cases.written)('renderMemory() writes $title', ({ memory, text, ...row }) => {
  expect(renderMemory(rowTemplate(row), { memory: { ...MEMORY, ...memory }, score: 1 / 3 })).toBe(
    text,
  );
});
it.each(cases.metadata)('withMetadata() $title', ({ wanted, text, ...row }) => {
  expect(
    renderMemory(withMetadata(rowTemplate(row), wanted), { memory: MEMORY, score: 1 / 3 }),
  ).toBe(text);
});

describe('checkedTemplate()', () => {
  it('is a copy under its registered name', () => {
    const own = templateOf('{{content}}');
    const checked = checkedTemplate('mine', own);
    own.memoryFormat = 'changed';
    expect(checked).toEqual({ ...templateOf('{{content}}'), name: 'mine' });
  });
  it.each<[string, unknown, RegExp, string?]>([
    [
      'an unknown variable',
      templateOf('{{person}}'),
      /memoryFormat: has an unknown variable: person/,
    ],
    ['no format', templateOf(''), /memoryFormat: is empty/],
    [
      'no separator',
      { name: 't', memoryFormat: 'x', includeMetadata: false },
      /separator: is missing/,
    ],
    ['a huge header', { ...templateOf('x'), header: 'x'.repeat(4001) }, /header/],
    ['an unknown member', { ...templateOf('x'), colour: 'red' }, /colour: is not a known member/],
    ['an empty name', templateOf('x'), /name: is empty/, ''],
  ])('refuses %s', (_, wrong, message, name = 't') => {
    const register = () => checkedTemplate(name, wrong as ContextTemplate);
    expect(register).toThrow(InvalidContextConfiguration);
    expect(register).toThrow(message);
  });
});
