import { createConfig, lintFromString } from '@redocly/openapi-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeSchemas } from '../../../tools/build/describe-schemas.ts';
import { openApiDocument } from '../../../tools/build/openapi.ts';

type Document = ReturnType<typeof openApiDocument>;

/** Examples that do not fit their schema are warnings otherwise. */
const RULES = {
  'no-invalid-media-type-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-invalid-schema-examples': 'error',
} as const;

const problemsOf = async (document: unknown): Promise<string[]> => {
  const config = await createConfig({ extends: ['recommended'], rules: RULES });
  const found = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: '/openapi.json',
    config,
  });
  return found.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`,
  );
};

describe("Redocly's recommended rules", () => {
  let document: Document;
  beforeAll(() => {
    document = openApiDocument({ version: '1', describe: describeSchemas() });
  });

  it('find nothing in the description of the API', async () => {
    expect(await problemsOf(document)).toEqual([]);
  });

  it('find each capability that a route needs', () => {
    const paths = document.paths as Record<string, { post: { description: string } }>;
    expect(paths['/v1/knowledge/checks/preview']?.post.description).toBe(
      'The key needs the capabilities `kb:write` and `kb:read`.',
    );
  });

  it('find an example of another type, and a route without a name', async () => {
    const changed = structuredClone(document) as unknown as {
      paths: Record<
        string,
        Record<string, { operationId?: string; parameters: { name: string; example: unknown }[] }>
      >;
    };
    const listing = changed.paths['/api/kb/articles']?.get;
    const limit = listing?.parameters.find(({ name }) => name === 'limit');
    if (listing === undefined || limit === undefined) throw new Error('the listing has no limit');
    limit.example = '10';
    delete listing.operationId;
    expect(await problemsOf(changed)).toEqual([
      expect.stringContaining('operation-operationId'),
      expect.stringContaining('no-invalid-parameter-examples'),
    ]);
  });
});
