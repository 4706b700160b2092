import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { describeIssues } from '../../src/contract/error-info.ts';
import * as contract from '../../src/contract/index.ts';
import { confidenceOf, levelOf } from '../../src/contract/navigator-response.ts';

const FOLDER = new URL('../../src/contract/', import.meta.url);
const schemas = Object.entries(contract).flatMap(([name, value]): [string, z.ZodType][] =>
  value instanceof z.ZodType ? [[name, value]] : [],
);

/** Any value, with member names of the schemas in it so that it passes the first checks. */
const names = schemas.flatMap(([, schema]) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []));
const hostile = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  object: fc.dictionary(fc.oneof(fc.constantFrom(...names, '__proto__', 'constructor'), fc.string()), tie('value'), {
    maxKeys: 6,
  }),
  value: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue(),
    fc.constantFrom('high', 'low', 'analytics', true, false, null, undefined, 0, 0.5, -1, Number.NaN, '\ud800'),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
})).object;

/** Without the conformance suite for librarians, which has its own folder and entry. */
const ownFiles = (): string[] => readdirSync(FOLDER).filter((file) => file.endsWith('.ts'));

describe('the contract', () => {
  it('publishes every file of its folder', () => {
    const files = ownFiles().filter((file) => file !== 'index.ts');
    const entry = readFileSync(new URL('index.ts', FOLDER), 'utf8');
    expect(files.filter((file) => !entry.includes(`'./${file}'`))).toEqual([]);
  });

  it('imports nothing but zod and itself', () => {
    const imports = ownFiles().flatMap((file) =>
      [...readFileSync(new URL(file, FOLDER), 'utf8').matchAll(/from '([^']+)'/g)].map(([, from]) => from ?? ''),
    );
    expect(imports.length).toBeGreaterThan(20);
    expect(imports.filter((from) => from !== 'zod' && !/^\.\/[a-z0-9-]+\.(?:ts|json)$/.test(from))).toEqual([]);
  });

  it('exports LibrarianResponse as Response', () => {
    const response: contract.Response = { answer: 'Yes.' };
    expect(contract.Response.parse(response)).toEqual(response);
  });

  it.each(schemas)('converts %s to a JSON Schema', (_name, schema) => {
    const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    expect(Object.keys(json).length).toBeGreaterThan(1);
  });

  it.each(schemas)(
    'reads hostile input as %s without throwing, and describes what is wrong in bounds',
    (_name, schema) => {
      fc.assert(
        fc.property(hostile, (value) => {
          const read = contract.readAs(schema, value);
          if (read.ok) return;
          const { issues } = read;
          expect(issues.length).toBeGreaterThan(0);
          expect(issues.length).toBeLessThanOrEqual(20);
          expect(describeIssues(issues).length).toBeLessThanOrEqual(500);
        }),
        { numRuns: 40 },
      );
    },
  );

  it('costs a function less than 48 KiB of gzip', () => {
    const worker = `import { AskRequest, NavigatorResponse, validateResponse } from './src/contract/index.ts';
      export default { fetch: async (r) => Response.json([AskRequest, NavigatorResponse, validateResponse(await r.json())]) };`;
    const bundle = execFileSync('node_modules/.bin/esbuild', ['--bundle', '--minify', '--format=esm', '--loader=ts'], {
      input: worker,
      cwd: new URL('../../', import.meta.url),
    });
    expect(gzipSync(bundle).length).toBeLessThan(48 * 1024);
  });
});

describe('readAs()', () => {
  it('refuses a length that cannot be compared, on which safeParse throws', () => {
    const body: unknown = JSON.parse('{"query":{"length":{"valueOf":0,"toString":0}}}');
    expect(() => contract.AskRequest.safeParse(body)).toThrow(TypeError);
    expect(contract.readAs(contract.AskRequest, body)).toEqual({
      ok: false,
      issues: [{ path: '', message: 'cannot be read' }],
    });
  });

  it('returns the parsed value or the issues', () => {
    expect(contract.readAs(contract.AskRequest, { query: ' Why? ' })).toEqual({ ok: true, value: { query: 'Why?' } });
    expect(contract.readAs(contract.AskRequest, {})).toEqual({
      ok: false,
      issues: [{ path: 'query', message: 'is missing' }],
    });
  });
});

describe('validateResponse()', () => {
  it('never throws, and accepts an accepted value again, unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.anything()), (value) => {
        const first = contract.validateResponse(value, { known: ['a'], chain: ['b'] });
        if (first.ok)
          expect(contract.validateResponse(first.value, { known: ['a'] })).toMatchObject({ value: first.value });
        else expect(first.issues.length).toBeGreaterThan(0);
      }),
    );
  });

  it('refuses unreadable values', () => {
    const trap = {
      get answer(): string {
        throw new Error('gotcha');
      },
    };
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(contract.validateResponse(trap)).toEqual({
      ok: false,
      issues: [{ path: '', message: 'cannot be read' }],
    });
    expect(contract.validateResponse({ answer: 'x', metadata: cycle })).toMatchObject({
      issues: [{ path: 'metadata' }],
    });
    expect(contract.validateResponse({ answer: 'x', metadata: { at: new Date(0) } }).ok).toBe(false);
  });
});

describe('confidence', () => {
  it('has a level for each number, with the bounds at 0.8 and 0.6', () => {
    expect([1, 0.8, 0.79, 0.6, 0.59, 0, Number.NaN].map(levelOf)).toEqual([
      'high',
      'high',
      'medium',
      'medium',
      'low',
      'low',
      'low',
    ]);
  });

  it('converts a level to a number and back', () => {
    for (const level of contract.ConfidenceLevel.options) expect(levelOf(confidenceOf(level))).toBe(level);
  });

  it('never maps more confidence to a lower level', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(unit, unit, (a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)].map((n) => confidenceOf(levelOf(n)));
        expect(less).toBeLessThanOrEqual(more ?? 0);
      }),
    );
  });
});
