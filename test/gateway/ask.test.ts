import { describe, expect, it } from 'vitest';
import { readingRights } from '../../src/gateway/ask.ts';

describe('readingRights()', () => {
  it.each([
    [['kb:read', 'kb:write', 'helpdesk:write'], ['kb:read']],
    [['kb:*'], ['kb:read']],
    [['helpdesk:*', 'sql:read'], ['sql:read']],
    [['*'], ['kb:read', 'memory:*', 'sql:read', 'web:search', 'support:analyze']],
    [['memory:write'], ['memory:write']],
  ])('leaves of %j only %j', (held, left) => {
    expect(readingRights(held)).toEqual(left);
  });
});
