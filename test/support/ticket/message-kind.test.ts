import { describe, expect, it } from 'vitest';
import { messageKind } from '../../../src/support/ticket/message-kind.ts';

const before = ['My Apollo II shows 0 H/s since yesterday'];

describe('messageKind()', () => {
  it.each([
    'Thank you so much, that fixed it!',
    'That worked, thank you',
    'It really worked!',
    'it works now, danke',
    'Thanks a lot for the quick answer',
    'Perfect, problem solved.',
    'It is running again. Thank you!',
    'Great, replacing the cable did the trick',
    'Thanks, I will try that',
    'Merci beaucoup, ça marche',
    'Hat geklappt, danke!',
    'Cheers mate, all sorted!',
    'all set now, thanks',
    'Gracias, ya funciona',
    'Hi Anna,\n\nthat helped, everything works fine now.\n\nBest regards\nHans',
  ])('recognises a closing message: %j', (message) => {
    expect(messageKind(message, { before })).toBe('closing');
  });

  it.each([
    'Thanks, but it is still the same',
    'Thank you. It shows 0 H/s again',
    'The issue is not solved',
    'is my miner fixed',
    'It fixed nothing',
    'Working now, but loud',
    'It is not all sorted',
    'All set up, then it went dark',
    'It works now and the LED is red',
    'Please cancel. Thanks',
    'I want to return my order, thanks',
    'Thanks, how do I close this?',
    'Restart fixed it for an hour',
    'That solved it, now I would like to know the price',
  ])('does not take an open problem for closed: %j', (message) => {
    expect(messageKind(message, { before })).not.toBe('closing');
  });

  it('takes the first message for thanks only when it says nothing else', () => {
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
    'takes no endless repetition for the end of a ticket (%#)',
    (text) => {
      expect(messageKind(text, { before, lastOfAgent: '?'.repeat(32_000) })).not.toBe('closing');
    },
  );
});
