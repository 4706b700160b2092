import { expect, it } from 'vitest';
import { automaticMail, type MailSigns } from '../../src/language/automatic-mail.ts';
import cases from './automatic-mail.json' with { type: 'json' };

const AUTOMATIC = cases.automatic as unknown as [string, MailSigns, string, string][];
const PERSONAL = cases.personal as unknown as [string, MailSigns, string][];
/** Signs that no person makes. */
const isSigned = ([, { headers = {}, from, isAutomatic }]: (typeof AUTOMATIC)[number]): boolean =>
  isAutomatic === true ||
  from !== undefined ||
  Object.keys(headers).some((name) => !/suppress/i.test(name));

it.each(AUTOMATIC.filter(isSigned))('automaticMail() recognises %s', (_, signs, text, kind) => {
  expect(automaticMail(signs, text)).toBe(kind);
});
it('automaticMail() recognises most of it by its words', () => {
  const own = AUTOMATIC.filter((row) => !isSigned(row));
  const missed = own.filter(([, signs, text]) => automaticMail(signs, text) === undefined);
  expect(missed.length / own.length).toBeLessThanOrEqual(0.15);
});
it('automaticMail() leaves most of what a person wrote with such words', () => {
  const taken = PERSONAL.filter(([, signs, text]) => automaticMail(signs, text) !== undefined);
  expect(taken.length / PERSONAL.length).toBeLessThanOrEqual(0.06);
});
it.each(
  PERSONAL.filter(([name]) =>
    /plain|parcel|RFC 3834|form of a web page|forwards|nothing at all/.test(name),
  ),
)('automaticMail() leaves what a person wrote: %s', (_, signs, text) =>
  expect(automaticMail(signs, text)).toBeUndefined(),
);
it('reads the subject and the sender from the header when nothing else gives them', () => {
  expect(automaticMail({ headers: { Subject: 'Automatic reply: hi' } })).toBe('automatic mail');
  expect(automaticMail({ headers: { From: 'MAILER-DAEMON@mx.example' } })).toBe(
    'a delivery report',
  );
});
it.each([
  [{ from: `${'no'.repeat(50_000)}@example.net` }, 'x'],
  [{ headers: { precedence: ' '.repeat(100_000) } }, 'I cannot log in '.repeat(50_000)],
])('reads a bounded part of long fields (%#)', (signs, text) => {
  expect(automaticMail(signs, text)).toBeUndefined();
});
