import { describe, expect, it } from 'vitest';
import { readMail } from '../../src/text/mail.ts';
import cases from './mail.json' with { type: 'json' };

const OWN = 'Still nothing.';
const ANSWERED = 'Please restart it.';

describe('readMail()', () => {
  it.each(cases.attributions)('removes the quoted mail below %j', (line) => {
    expect(readMail(`${OWN}\n\n${line}\n\n> ${ANSWERED}\n>\n> > 0 H/s\n`).own).toBe(OWN);
  });
  it('removes a quoted mail without quote marks', () => {
    const line = 'On Thu, 15 Jan 2026 at 10:30, Support <[email]> wrote:';
    expect(readMail(`${OWN}\n\n${line}\n\n${ANSWERED}`).own).toBe(OWN);
  });
  it.each(cases.histories)('removes the history that begins with %s', (_, history) =>
    expect(readMail(`${OWN}\n\n${history}`).own).toBe(OWN),
  );

  it('removes signatures, lines of mail programs and legal notices', () => {
    expect(readMail(`${OWN}\n-- \nJo Miller\nMiller Ltd`).own).toBe(OWN);
    expect(readMail(`${OWN}\n\nSent from my iPhone`).own).toBe(OWN);
    expect(readMail(`${OWN}\n\nGet Outlook for iOS<https://aka.ms/o0ukef>`).own).toBe(OWN);
    expect(
      readMail(
        `${OWN}\n\nThis e-mail and its attachments are confidential and\nintended only for the addressee.\n\nMiller Ltd`,
      ).own,
    ).toBe(OWN);
    expect(readMail(`${OWN}\n\nDiese E-Mail enthält vertrauliche Informationen. Wenn Sie`).own).toBe(OWN);
  });

  it("keeps the sender's answers between quoted lines, and quotations of other things", () => {
    const line = 'On Thu, 15 Jan 2026 at 10:30, Support <support@example.com> wrote:';
    expect(readMail(`${line}\n> Did you restart it?\n\nYes, twice.\n> And the cable?\n\nNew.`).own).toBe(
      'Yes, twice.\n\nNew.',
    );
    for (const text of [
      'I get this:\n\n> error 7\n> error 8',
      '-----BEGIN LOG-----\nerror 7\n-----END LOG-----',
      'From: the dashboard I cannot open it.',
      'Model: Apollo II\nDate: 15.01.2026 10:30\nTo: Berlin',
    ])
      expect(readMail(text).own).toBe(text);
  });

  it('returns a text that is entirely quoted unchanged', () => {
    const text = `On Thu, 15 Jan 2026 at 10:30, Support <support@example.com> wrote:\n> ${ANSWERED}`;
    expect(readMail(text).own).toBe(text);
  });

  it.each(cases.forwarded)('reads a forwarded mail without its headers: %s', (_, head) => {
    const expected = { own: 'FYI, please see below', forwarded: ANSWERED };
    expect(readMail(`FYI, please see below\n\n${head}${ANSWERED}`)).toEqual(expected);
  });
});
