import { expect, it } from 'vitest';
import * as z from 'zod';
import { readJson } from '../../src/platform/http/json-http.ts';

const Body = z.strictObject({ name: z.string().min(1).max(10) });
const bytes = (text: string) => new TextEncoder().encode(text);

it('parses a body with a schema', () => {
  expect(readJson(bytes('{"name":"a"}'), Body)).toEqual({ ok: true, value: { name: 'a' } });
});
it('uses the given default for an empty body', () => {
  expect(readJson(bytes(''), Body, { whenEmpty: { name: 'none' } })).toEqual({
    ok: true,
    value: { name: 'none' },
  });
});
it.each([
  ['', 'is not JSON'],
  ['{', 'is not JSON'],
  ['{"name":""}', 'name: '],
  ['{"name":{"length":{"valueOf":0,"toString":0}}}', 'cannot be read'],
])('reports the problem of %j', (body, problem) => {
  expect(readJson(bytes(body), Body)).toMatchObject({
    ok: false,
    problem: expect.stringContaining(problem),
  });
});
