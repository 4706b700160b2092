import { describe, expect, it } from 'vitest';
import { readMail } from '../../src/text/mail.ts';

const OWN = 'Still nothing.';
const ANSWERED = 'Please restart it.';

describe('readMail()', () => {
  it.each([
    'On Thu, 15 Jan 2026 at 10:30, Support <support@example.com> wrote:',
    'On Thu, 15 Jan 2026 at 10:30, Support\n<support@example.com> wrote:',
    'Am 15.01.2026 um 10:30 schrieb Support <support@example.com>:',
    'Le jeu. 15 janv. 2026 à 10:30, Support <support@example.com> a écrit :',
    '2026-01-15 10:30 GMT+01:00 Support <support@example.com>:',
    'Am 06.10.2026 um 09:14 schrieb Support:',
  ])('cuts the quoted mail below %j', (line) => {
    expect(readMail(`${OWN}\n\n${line}\n\n> ${ANSWERED}\n>\n> > 0 H/s\n`).own).toBe(OWN);
  });

  it('removes a quoted mail without quote marks', () => {
    const line = 'On Thu, 15 Jan 2026 at 10:30, Support <[email]> wrote:';
    expect(readMail(`${OWN}\n\n${line}\n\n${ANSWERED}`).own).toBe(OWN);
  });

  it.each([
    ['a separator', `-----Original Message-----\nFrom: Support\nSent: Thursday\n\n${ANSWERED}`],
    ['a German separator', `-----Ursprüngliche Nachricht-----\nVon: Support <a@b.example>\n\n${ANSWERED}`],
    ['underscores', `________________________________\nFrom: Support <a@b.example>\nSent: Thursday\n\n${ANSWERED}`],
    [
      'Outlook',
      `From: Support <a@b.example>\nSent: Thursday, 15 January 2026 10:30\nTo: Jo\nSubject: RE: fan\n\n${ANSWERED}`,
    ],
    [
      'German Outlook',
      `Von: Support\nGesendet: Donnerstag, 15. Januar 2026 10:30\nAn: Jo\nBetreff: AW: Lüfter\n\n${ANSWERED}`,
    ],
    ['French Outlook', `De : Support\nEnvoyé : jeudi 15 janvier 2026 10:30\nÀ : Jo\nObjet : RE: bruit\n\n${ANSWERED}`],
    [
      'Spanish Outlook',
      `**De:** Support\n**Enviado el:** jueves 15\n**Para:** Jo\n**Asunto:** RE: ruido\n\n${ANSWERED}`,
    ],
  ])('cuts the history that begins with %s', (_, history) => {
    expect(readMail(`${OWN}\n\n${history}`).own).toBe(OWN);
  });

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

  it.each([
    [
      'English',
      '---------- Forwarded message ---------\nFrom: Ingrid <[email]>\nDate: Mon, 2 Nov 2026\nSubject: stuck\n\n',
    ],
    ['quoted', 'Begin forwarded message:\n\n> From: Ingrid <[email]>\n> Date: Mon, 2 Nov 2026\n> \n> '],
    ['German', '-------- Weitergeleitete Nachricht --------\nBetreff: stuck\nVon: [email]\n\n'],
  ])('reads a forwarded mail without its headers: %s', (_, head) => {
    expect(readMail(`FYI, please see below\n\n${head}${ANSWERED}`)).toEqual({
      own: 'FYI, please see below',
      forwarded: ANSWERED,
    });
  });
});
