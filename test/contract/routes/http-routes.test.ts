import { expect, it } from 'vitest';
import { namesWhere, routeMatcher } from '../../../src/contract/routes/http-routes.ts';

it('lets web pages ask, search, judge answers and hand over to a person, nothing else', () => {
  expect(namesWhere(({ isPublishable }) => isPublishable === true)).toEqual([
    'POST /v1/ask',
    'POST /v1/answers/{id}/feedback',
    'POST /v1/knowledge/search',
    'POST /v1/support/requests',
  ]);
});

it('lets clients of MCP call nothing that administers', () => {
  const callable = namesWhere(({ isForMcp }) => isForMcp === true);
  expect(callable).toContain('GET /v1/knowledge/gaps');
  expect(namesWhere(({ isForMcp, isAudited }) => isForMcp === true && isAudited === true)).toEqual(
    [],
  );
  expect(callable.filter((name) => /^(?:PUT|DELETE) /.test(name))).toEqual([]);
});

it('notes in the audit log whatever erases and restores', () => {
  const audited = namesWhere(({ isAudited }) => isAudited === true);
  const changing = namesWhere(({ access }) => access === undefined).filter((name) =>
    /^(?:PUT|DELETE) /.test(name),
  );
  // Templates and rankers of contexts are settings of one client.
  expect(changing.filter((name) => !audited.includes(name) && !/\/context-/.test(name))).toEqual(
    [],
  );
});

it('matches a path of a route, with slashes in its last parameter where it may have them', () => {
  const isArticle = routeMatcher(['PUT /api/kb/articles/{id}', 'DELETE /v1/answers/{id}']);
  expect(isArticle('PUT', '/api/kb/articles/guides/hours.md')).toBe(true);
  expect(isArticle('GET', '/api/kb/articles/guides/hours.md')).toBe(false);
  expect(isArticle('DELETE', '/v1/answers/a/b')).toBe(false);
});
