import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { ErrorInfo, issuesOf } from '../../../src/contract/core/error-info.ts';
import { Query } from '../../../src/contract/core/names.ts';
import { LibrarianResponse } from '../../../src/contract/core/response.ts';
import * as contract from '../../../src/contract/index.ts';
import { AgentResponse } from '../../../src/contract/wire/agent-response.ts';
import {
  type ContextOptions,
  SearchOptions,
  WireContextOptions,
} from '../../../src/contract/wire/context-engine.ts';
import { ArticleListingReply, HostArticleReply } from '../../../src/contract/wire/host-article.ts';
import {
  KnowledgeRetrieval,
  KnowledgeRetrievalV1,
  unavailableRetrieval,
} from '../../../src/contract/wire/knowledge.ts';
import { SupportResponseV1 } from '../../../src/contract/wire/support-response.ts';
import agents from './schemas/agents.json' with { type: 'json' };
import support from './schemas/support.json' with { type: 'json' };

/** Each row is the valid value with the member at a path replaced (`sources.0.name`; an empty path for the whole value). */
interface Rules {
  valid: unknown;
  /** Members that are read as something else than they are written. */
  reads?: object;
  accepts?: [what: string, path: string, value: unknown][];
  /** The message and, where it is not the one that was replaced, the path of the only issue. */
  refuses?: [what: string, path: string, value: unknown, message: string, named?: string][];
}

const FOLDER = new URL('schemas/', import.meta.url);
const SCHEMAS = readdirSync(FOLDER).flatMap((file) =>
  Object.entries(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Record<string, Rules>),
);
const schemaOf = (name: string) => Reflect.get(contract, name.split(' ')[0] ?? '') as z.ZodType;
const ABSENT = Symbol('absent');

/** JSON has no word for a missing member or for a long text. */
const decoded = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(decoded);
  if (typeof value !== 'object' || value === null) return value;
  if ('absent' in value) return ABSENT;
  if ('repeat' in value && 'times' in value)
    return String(value.repeat).repeat(Number(value.times));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, decoded(member)]));
};

const withMember = (valid: unknown, path: string, coded: unknown): unknown => {
  const value = decoded(coded);
  if (path === '') return value;
  const copy: unknown = structuredClone(valid);
  const parts = path.split('.');
  const last = parts.pop() ?? '';
  const parent = Object(parts.reduce((above, part) => Reflect.get(Object(above), part), copy));
  if (value === ABSENT) Reflect.deleteProperty(parent, last);
  else Reflect.set(parent, last, value);
  return copy;
};

const issuesIn = (schema: z.ZodType, value: unknown) =>
  issuesOf(schema.safeParse(value).error ?? { issues: [] });

describe.each(SCHEMAS)('%s', (name, { valid, reads, accepts = [], refuses = [] }) => {
  const schema = schemaOf(name);

  it.each([['the valid value', '', valid], ...accepts] as const)('accepts %s', (_, path, value) => {
    const accepted = withMember(valid, path, value);
    expect(issuesIn(schema, accepted)).toEqual([]);
    expect(schema.parse(accepted)).toEqual(
      reads === undefined ? accepted : { ...Object(accepted), ...reads },
    );
  });
  it.each(refuses)('refuses %s', (_, path, value, message, named = path) => {
    expect(issuesIn(schema, withMember(valid, path, value))).toEqual([
      { path: named, message: expect.stringMatching(message) },
    ]);
  });
});

const FAILURE = agents['AgentResponse of a failure'].valid;
const HOSTED = { id: '7', title: '', content: 'x' };
const ARTICLES = { articles: [null, { id: 1 }], next_cursor: null };
const [JANUARY, FEBRUARY] = ['2024-01-01', '2024-02-01T11:00:00+01:00'];

it.each<[string, z.ZodType, unknown, unknown]>([
  [
    'empty lists, which PHP writes for empty objects',
    AgentResponse,
    { ...FAILURE, result: [], source_attribution: [], metadata: [] },
    { ...FAILURE, result: {}, source_attribution: {}, metadata: {} },
  ],
  [
    'numbers as ids, single labels, nulls and unknown members of other hosts',
    HostArticleReply,
    { ...HOSTED, id: 7, body_html: '', metadata: { intent: ' a ', device: null, extra: 1 } },
    { ...HOSTED, metadata: { intent: ['a'], device: [] } },
  ],
  ['a page with invalid articles', ArticleListingReply, { ...ARTICLES, took: 3 }, ARTICLES],
  ['a date of the wire', SearchOptions, { dateFrom: JANUARY }, { dateFrom: new Date(JANUARY) }],
  [
    'a time of the wire',
    SearchOptions,
    { dateTo: FEBRUARY },
    { dateTo: new Date('2024-02-01T10:00:00Z') },
  ],
  [
    'a response without its unknown members',
    LibrarianResponse,
    { answer: 'Yes.', secret: 1 },
    { answer: 'Yes.' },
  ],
  ['a trimmed query', Query, '  Why?\n', 'Why?'],
])('a schema reads %s', (_, schema, written, read) => expect(schema.parse(written)).toEqual(read));

describe('what JSON cannot write', () => {
  const moment = new Date('2024-01-01');
  const CHINESE = { code: 'TIMEOUT', message: '超时', suggestion: '请稍后再试' };

  it.each<[string, z.ZodType, unknown]>([
    ['a start without an end', SearchOptions, { dateFrom: moment }],
    ['an end without a start', SearchOptions, { dateTo: moment }],
    ['a range of one moment', SearchOptions, { dateFrom: moment, dateTo: moment }],
    ['a short suggestion in a script without spaces', ErrorInfo, CHINESE],
    ['a Chinese query', Query, '如何重置？'],
    ['a symbol as query', Query, '?'],
  ])('accepts %s', (_, schema, value) => expect(schema.parse(value)).toEqual(value));

  const [NAN, answer] = [Number.NaN, 'x'];
  it.each<[string, z.ZodType, unknown, string, RegExp]>([
    ['an invalid `Date`', SearchOptions, { dateTo: new Date(NAN) }, 'dateTo', /not a date/],
    [
      'a confidence of NaN',
      LibrarianResponse,
      { answer, confidence: NAN },
      'confidence',
      /expected number/,
    ],
    [
      'a list with NaN',
      LibrarianResponse,
      { answer, metadata: { a: [NAN] } },
      'metadata',
      /cannot carry/,
    ],
    ['a listing without articles', ArticleListingReply, { items: [] }, 'articles', /missing/],
  ])('refuses %s', (_, schema, value, path, message) => {
    expect(issuesIn(schema, value)).toEqual([{ path, message: expect.stringMatching(message) }]);
  });
  it('allows a ranker as a function in code, not on the wire', () => {
    const options: ContextOptions = { ranker: (results) => results.toReversed() };
    expect(WireContextOptions.safeParse(options).success).toBe(false);
  });
});

describe('a query', () => {
  it('has at most 4,000 characters, without the white space around it', () => {
    expect(Query.parse(` ${'a'.repeat(4000)} `)).toHaveLength(4000);
  });
  it('is within its bounds, and unchanged when parsed again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        const { success, data = '' } = Query.safeParse(text);
        if (!success) return;
        expect(data.length).toBeGreaterThan(0);
        expect(Query.parse(data)).toBe(data);
      }),
    );
  });
});

describe('clients of version 1.0', () => {
  it.each(['KnowledgeRetrieval', 'WeakKnowledgeRetrieval'] as const)('can read a %s', (name) => {
    const { sources_consulted, coverage, gaps } = support[name].valid;
    expect(KnowledgeRetrievalV1.parse(support[name].valid)).toEqual({
      sources_consulted,
      coverage,
      gaps,
    });
  });
  it('find all earlier members of a support response', () => {
    const { valid } = support.SupportResponse;
    const read = SupportResponseV1.parse(valid);
    expect([Object.keys(read), read.draft]).toEqual([Object.keys(valid), valid.draft]);
  });
});
it('has a new fallback block for each failed retrieval', () => {
  const fallback = {
    sources_consulted: [],
    coverage: 'none',
    gaps: ['Knowledge retrieval unavailable'],
  };
  unavailableRetrieval().gaps.push('changed');
  expect(KnowledgeRetrieval.parse(unavailableRetrieval())).toEqual({
    ...fallback,
    retrieval_time_ms: 0,
  });
});
