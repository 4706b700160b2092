import { describe, expect, it } from 'vitest';
import { readingRights } from '../../src/gateway/ask.ts';

describe('readingRights()', () => {
  it.each([
    [['kb:read', 'kb:write', 'helpdesk:write'], ['kb:read']],
    [['kb:*'], ['kb:read']],
    [
      ['helpdesk:*', 'sql:read'],
      ['helpdesk:read', 'sql:read'],
    ],
    [['*'], ['kb:read', 'memory:read', 'sql:read', 'web:search', 'support:analyze']],
    [
      ['memory:write', 'kb:hr:write', 'kb:hr:*', 'kb:*'],
      ['kb:hr:read', 'kb:read'],
    ],
  ])('leaves of %j only %j', (held, left) => {
    expect(readingRights(held)).toEqual(left);
  });
});
