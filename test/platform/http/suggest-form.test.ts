import { expect, it } from 'vitest';
import * as z from 'zod';
import { readAs } from '../../../src/contract/core/error-info.ts';
import * as contract from '../../../src/contract/index.ts';
import { AnswersQuery } from '../../../src/contract/wire/answers.ts';
import { inAddress, suggestForm } from '../../../src/platform/http/suggest-form.ts';

const Example = z.strictObject({
  text: z.string().max(40),
  either: z.union([z.string(), z.boolean()]).optional(),
  list: z
    .array(z.strictObject({ kind: z.literal('a'), size: z.int().min(2).max(9) }))
    .max(3)
    .optional(),
  open: z.record(z.string(), z.enum(['x', 'y'])).default({}),
  date: z.iso
    .date()
    .transform((text) => new Date(text))
    .optional(),
});
const suggested = (value: unknown): string | undefined => {
  const read = readAs(Example, value);
  return read.ok ? undefined : suggestForm(Example, read.issues);
};

it.each([
  [{}, 'Send text as a text of up to 40 characters'],
  [{ text: 'x', either: 3 }, 'Send either as a text or true or false, or leave out either'],
  [
    { text: 'x', list: 'a' },
    'Send list as a list of up to 3, each an object with kind, size, or leave out list',
  ],
  [
    { text: 'x', list: [{ kind: 'a', size: 1 }] },
    'Send list.0.size as a number from 2 to 9, or leave out list',
  ],
  [{ text: 'x', list: [{ kind: 'a', size: 3, sise: 3 }] }, 'Send size in place of list.0.sise'],
  [{ text: 'x', open: { one: 'z' } }, 'Send open.one as "x" or "y", or leave out open'],
  [{ text: 'x', date: 'soon' }, 'Send date as a text, or leave out date'],
  [{ text: 'x', other: 1 }, 'Leave out other; what is taken here: text, either, list, open, date'],
  [{ text: 'x', txet: 1 }, 'Send text in place of txet'],
  [{ TEXT: 'x' }, 'Send text in place of TEXT'],
  [[], undefined],
])('says what to send in place of %o', (value, suggestion) => {
  expect(suggested(value)).toBe(suggestion);
});

it('names a member of an address as it is written there', () => {
  const read = readAs(AnswersQuery, { limit: '1000' });
  expect(read.ok).toBe(false);
  if (!read.ok)
    expect(suggestForm(AnswersQuery, read.issues, inAddress)).toBe(
      'Send ?limit= as a number from 1 to 200, or leave out ?limit=',
    );
});

it('never speaks of another member than the one that is wrong, for any schema of the contract', () => {
  const requests = Object.entries(contract).filter(
    (entry): entry is [string, z.ZodObject] =>
      entry[1] instanceof z.ZodObject && /Request$|Input$|Query$/.test(entry[0]),
  );
  expect(requests.length).toBeGreaterThan(5);
  for (const [name, schema] of requests) {
    for (const member of Object.keys(schema.shape)) {
      const read = readAs(schema, { [member]: Symbol.iterator });
      const own = read.ok ? [] : read.issues.filter(({ path }) => path.split('.')[0] === member);
      const says = suggestForm(schema, own);
      if (says !== undefined)
        expect(says.startsWith(`Send ${member}`), `${name}.${member}: ${says}`).toBe(true);
    }
  }
});

it('names the members that mend an object whose members are each right', () => {
  const suggestionFor = (schema: z.ZodType, value: unknown) => {
    const read = readAs(schema, value);
    return read.ok ? undefined : suggestForm(schema, read.issues);
  };
  const check = { question: 'Which port has to be open?' };
  expect(suggestionFor(contract.KnowledgeChecksPut, { checks: [check] })).toMatch(
    /^Send checks\.0 with contains \(.*cites \(.*declined/,
  );
  expect(suggestionFor(contract.KnowledgeCheckInput, check)).toMatch(/^Send contains \(.*declined/);
});
