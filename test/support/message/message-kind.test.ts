import { expect, it } from 'vitest';
import { messageKind } from '../../../src/support/message/read-ticket.ts';
import kinds from './message-kinds.json' with { type: 'json' };

const before = ['My Apollo II shows 0 H/s since yesterday'];

it.each(kinds.closing)('recognises a closing message: %j', (message) =>
  expect(messageKind(message, { before })).toBe('closing'),
);
it.each(kinds.open)('does not recognise an open problem as closing: %j', (message) =>
  expect(messageKind(message, { before })).not.toBe('closing'),
);
it.each(kinds.kinds as [string, boolean, string][])(
  'reads %j, after earlier messages: %j, as %s',
  (message, isLater, kind) =>
    expect(messageKind(message, { before: isLater ? before : [] })).toBe(kind),
);
it.each(['thanks '.repeat(4000), 'it is '.repeat(5000), 'x'.repeat(32_000)])(
  'does not recognise endless repetition as closing (%#)',
  (text) =>
    expect(messageKind(text, { before, lastOfAgent: '?'.repeat(32_000) })).not.toBe('closing'),
);
