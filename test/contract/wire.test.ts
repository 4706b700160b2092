import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as contract from '../../src/contract/index.ts';

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The rules of a JSON Schema for one value: `string minLength=1 maxLength=4000`, or the name of a schema. */
const describeNode = (node: Node): string => {
  if (typeof node.$ref === 'string') return node.$ref.replace('#/$defs/', '');
  const rules = Object.entries(node).filter(
    ([key, rule]) => key !== '$schema' && key !== '$id' && (!isNode(rule) || key === 'not'),
  );
  const words = rules.flatMap(([key, rule]) => {
    if (key === 'type') return [String(rule)];
    if (key === 'additionalProperties') return rule === false ? ['strict'] : [];
    return ['required', 'anyOf', 'oneOf', 'id'].includes(key) ? [] : [`${key}=${JSON.stringify(rule)}`];
  });
  return words.join(' ') || (node.anyOf || node.oneOf ? 'one of' : 'anything');
};

/** A line for a value and for each value in it. */
const linesOf = (path: string, node: unknown, isOptional = false): string[] => {
  if (!isNode(node)) return [];
  const required = Array.isArray(node.required) ? node.required : [];
  const members = isNode(node.properties) ? Object.entries(node.properties) : [];
  const branches = [node.anyOf, node.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [
    `${path}${isOptional ? '?' : ''}: ${describeNode(node)}`,
    ...members.flatMap(([name, member]) => linesOf(`${path}.${name}`, member, !required.includes(name))),
    ...linesOf(`${path}[]`, node.items),
    ...linesOf(`${path}.*`, node.additionalProperties),
    ...branches.flatMap((branch, index) => linesOf(`${path}|${index}`, branch)),
  ];
};

describe('the wire format', () => {
  it('matches wire.txt: a change there is visible to callers', async () => {
    const published = z.registry<{ id: string }>();
    for (const [id, schema] of Object.entries(contract)) {
      if (schema instanceof z.ZodType && id !== 'Response') published.add(schema, { id });
    }
    const { schemas } = z.toJSONSchema(published, { io: 'input', unrepresentable: 'any', uri: (id) => id });
    const lines = Object.keys(schemas)
      .toSorted()
      .flatMap((name) => [...linesOf(name, schemas[name]), '']);
    await expect(lines.join('\n')).toMatchFileSnapshot('wire.txt');
  });
});
