import { describe, expect, it } from 'vitest';
import { messageKind } from '../../../src/support/ticket/read-ticket.ts';
import kinds from './message-kinds.json' with { type: 'json' };

const before = ['My Apollo II shows 0 H/s since yesterday'];

describe('messageKind()', () => {
  it.each(kinds.closing)('recognises a closing message: %j', (message) => {
    expect(messageKind(message, { before })).toBe('closing');
  });
  it.each(kinds.open)('does not recognise an open problem as closing: %j', (message) => {
    expect(messageKind(message, { before })).not.toBe('closing');
  });
  it('recognises a first message as closing only if it contains nothing but thanks', () => {
    expect(messageKind('Thanks for the great support!', { before: [] })).toBe('closing');
    for (const message of ['Fixed IP address', 'My Apollo is running hot', 'The Apollo II works fine, the III is dead'])
      expect(messageKind(message, { before: [] }), message).toBe('new');
  });
  it('recognises a follow-up by the earlier messages', () => {
    expect(messageKind('Still the same.', { before })).toBe('follow-up');
    expect(messageKind('Still the same.', { before: [] })).toBe('new');
    expect(messageKind('The green one', { before })).toBe('follow-up');
    const refers = 'I did steps 1 to 3 but step 4 does not work, the button is grey';
    expect(messageKind(refers, { before })).toBe('follow-up');
  });
  it('ignores the quoted mail', () => {
    const message = `No change.\n\nOn Tue, 6 Oct 2026 at 09:14, Support wrote:\n> ${'Please restart the device and wait. '.repeat(5)}`;
    expect(messageKind(message, { before })).toBe('follow-up');
  });
  it.each(['thanks '.repeat(4000), 'it is '.repeat(5000), 'x'.repeat(32_000)])(
    'does not recognise endless repetition as closing (%#)',
    (text) => {
      expect(messageKind(text, { before, lastOfAgent: '?'.repeat(32_000) })).not.toBe('closing');
    },
  );
});
