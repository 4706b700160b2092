import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as contract from '../../src/contract/index.ts';

/** Everything that a caller sends. Add each new request here. */
const REQUESTS = {
  AgentRequest: contract.AgentRequest,
  ArticleListingQuery: contract.ArticleListingQuery,
  ArticlePut: contract.ArticlePut,
  AskRequest: contract.AskRequest,
  ContextRequest: contract.ContextRequest,
  ContextTemplate: contract.ContextTemplate,
  KnowledgeSearchRequest: contract.KnowledgeSearchRequest,
  LibrarianAskRequest: contract.LibrarianAskRequest,
  MemoryInput: contract.MemoryInput,
  MemorySearchRequest: contract.MemorySearchRequest,
  NavigateRequest: contract.NavigateRequest,
  RetrievalRequest: contract.RetrievalRequest,
  SupportRequest: contract.SupportRequest,
  SyncRequest: contract.SyncRequest,
  TaxonomyPut: contract.TaxonomyPut,
};

/** Replies of older versions and of other hosts, and taxonomies: the pattern of their language tag has no bound. */
const UNBOUNDED = /^(?:HostArticleReply|\w+V1|Taxonomy(?:Put|Written)?)$/;

/** Everything else, replies of librarians, agents and functions included. Unknown members may be dropped; all sizes are bounded. */
const BOUNDED = Object.entries(contract).flatMap(([name, value]): [string, z.ZodType][] =>
  value instanceof z.ZodType && !UNBOUNDED.test(name) ? [[name, value]] : [],
);

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Every part of a JSON Schema with its path, in the order of the schema, without names of free members: those
 * objects are bounded as a whole, which a JSON Schema cannot say.
 */
const partsOf = (value: unknown, path = '$'): [path: string, part: Node][] => {
  if (Array.isArray(value)) return value.flatMap((part, index) => partsOf(part, `${path}.${index}`));
  if (!isNode(value)) return [];
  return [
    [path, value],
    ...Object.entries(value).flatMap(([key, part]) => (key === 'propertyNames' ? [] : partsOf(part, `${path}.${key}`))),
  ];
};

const partsOfSchema = (schema: z.ZodType) =>
  partsOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }));

/** A pattern is bounded when it is anchored and has no unbounded repetition. */
const endsByItself = (pattern: unknown): boolean => typeof pattern === 'string' && /^\^[^*+]*\$$/.test(pattern);

const isEndless = (part: Node): boolean => {
  if (part.type === 'array') return part.maxItems === undefined;
  if (part.type !== 'string') return false;
  return (
    ![part.maxLength, part.enum, part.const].some(Boolean) && part.format !== 'date' && !endsByItself(part.pattern)
  );
};

describe('the contract', () => {
  it.each(BOUNDED)('has an upper bound on every text and list: %s', (_name, schema) => {
    expect(partsOfSchema(schema).filter(([, part]) => isEndless(part))).toEqual([]);
  });

  it.each(Object.entries(REQUESTS))('refuses unknown members at every level: %s', (_name, schema) => {
    const parts = partsOfSchema(schema);
    expect(parts.length).toBeGreaterThan(1);
    const open = parts.filter(
      // Metadata may have any member of a helpdesk.
      ([path, part]) =>
        isNode(part.properties) && part.additionalProperties !== false && !path.includes('.properties.metadata'),
    );
    expect(open.filter(([, part]) => part.type === 'object')).toEqual([]);
  });
});
