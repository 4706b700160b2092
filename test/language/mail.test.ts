import { describe, expect, it } from 'vitest';
import { headersOfMail, readMail } from '../../src/language/mail.ts';
import cases from './mail.json' with { type: 'json' };

const OWN = 'Still nothing.';
const ANSWERED = 'Please restart it.';

it.each(cases.attributions)('removes the quoted mail below %j', (line) =>
  expect(readMail(`${OWN}\n\n${line}\n\n> ${ANSWERED}\n>\n> > 0 H/s\n`).own).toBe(OWN),
);
it.each(cases.histories)('removes the history that begins with %s', (_, history) =>
  expect(readMail(`${OWN}\n\n${history}`).own).toBe(OWN),
);
it.each(cases.endings)(
  'removes the signature, line of a mail program or legal notice %j',
  (ending) => expect(readMail(`${OWN}${ending}`).own).toBe(OWN),
);
it.each(cases.kept)(
  'keeps quotations of other things, and a text that is entirely quoted: %j',
  (text) => expect(readMail(text).own).toBe(text),
);
it("keeps the sender's answers between quoted lines", () => {
  const line = 'On Thu, 15 Jan 2026 at 10:30, Support <support@example.com> wrote:';
  const mail = `${line}\n> Did you restart it?\n\nYes, twice.\n> And the cable?\n\nNew.`;
  expect(readMail(mail).own).toBe('Yes, twice.\n\nNew.');
});
it.each(cases.forwarded)('reads a forwarded mail without its headers: %s', (_, head) => {
  const expected = { own: 'FYI, please see below', forwarded: ANSWERED };
  expect(readMail(`FYI, please see below\n\n${head}${ANSWERED}`)).toEqual(expected);
});

describe('the header fields of a mail', () => {
  it.each<[string, string, Record<string, string>]>([
    [
      'folded lines',
      'Subject: a\r\n b\r\nX-Y:\tc\r\n\r\nAuto-Submitted: no',
      { subject: 'a b', 'x-y': 'c' },
    ],
    ['fields that occur twice', 'Received: a\nreceived: b\n\n', { received: 'a, b' }],
    ['what is no field', 'From sender\n: x\nA b: c\nTo: d', { to: 'd' }],
    ['no mail', '', {}],
  ])('are read with %s', (_, source, fields) => expect(headersOfMail(source)).toEqual(fields));
  it('are bounded', () => {
    const fields = headersOfMail(`${'x: y\n'.repeat(100_000)}`);
    expect(fields.x?.length).toBeLessThanOrEqual(1000);
    expect(
      Object.keys(headersOfMail(Array.from({ length: 500 }, (_, at) => `h${at}: v`).join('\n'))),
    ).toHaveLength(100);
  });
});
