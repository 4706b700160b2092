import { describe, expect, it } from 'vitest';
import { forwardedMail } from '../../src/support/forwarded-mail.ts';
import { bestTime } from '../best-time.ts';

const MAIL = `From: Ingrid <[email]>
Date: Mon, 2 Nov 2026
Subject: node stuck

Hi, my node has been at 87 % for four days.`;
const ASKED = 'Hi, my node has been at 87 % for four days.';

describe('forwardedMail()', () => {
  it.each([
    ['behind a word or two', `FYI, please see below\n\n---------- Forwarded message ---------\n${MAIL}`],
    ['behind nothing', `---------- Forwarded message ---------\n${MAIL}`],
    ['with quote marks', `fyi\n\nBegin forwarded message:\n\n${MAIL.replace(/^/gm, '> ')}`],
    [
      'in German',
      'Bitte ansehen\n\n-------- Weitergeleitete Nachricht --------\nBetreff: node stuck\nVon: [email]\n\nHi, my node has been at 87 % for four days.',
    ],
  ])('reads the mail that was handed on %s', (_, message) => {
    expect(forwardedMail(message)).toBe(ASKED);
  });

  it('keeps what its sender says of it', () => {
    const own = 'Can you help my client? She cannot reach her node from outside since the new router came.';
    expect(forwardedMail(`${own}\n\n---------- Forwarded message ---------\n${MAIL}`)).toBe(`${own}\n${ASKED}`);
  });

  it.each([
    ['that answers a mail', `Still loud, sorry.\n\n-----Original Message-----\n${MAIL}`],
    ['with nothing handed on', 'FYI\n\n---------- Forwarded message ---------\nFrom: [email]\n'],
    ['without another', 'How do I forward the original message: by mail?\nSubject: none'],
  ])('leaves a message %s', (_, message) => {
    expect(forwardedMail(message)).toBe(message);
  });

  it('takes a time that grows with the length', () => {
    for (const unit of ['-- forwarded\n', 'a: b\n', '> > > ', '--', 'Subject: '])
      expect(
        bestTime(() => forwardedMail(`-- forwarded\n${unit.repeat(8000)}`), 3),
        unit,
      ).toBeLessThan(50);
  });
});
