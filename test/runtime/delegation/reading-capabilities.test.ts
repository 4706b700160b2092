import { describe, expect, it } from 'vitest';
import { readingCapabilities } from '../../../src/runtime/delegation/reading-capabilities.ts';

describe('readingCapabilities()', () => {
  it.each([
    [['kb:read', 'kb:write', 'helpdesk:write'], ['kb:read']],
    [['kb:read'], undefined],
    [['kb:*'], ['kb:read']],
    [
      ['helpdesk:*', 'sql:read'],
      ['helpdesk:read', 'sql:read'],
    ],
    [['web:*'], ['web:read', 'web:search']],
    [['*'], ['kb:read', 'memory:read', 'sql:read', 'web:search', 'support:analyze']],
    [
      ['memory:write', 'kb:hr:write', 'kb:hr:*', 'kb:*'],
      ['kb:hr:read', 'kb:read'],
    ],
  ])('leaves of %j only %j', (held, left) => {
    expect(readingCapabilities(held)).toEqual(left);
  });
});
