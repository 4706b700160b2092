import { expect, it } from 'vitest';
import { automaticMail, type MailSigns } from '../../src/text/automatic-mail.ts';
import cases from './automatic-mail.json' with { type: 'json' };

type Case = [name: string, signs: MailSigns, text: string, kind?: string];
// JSON has no tuples and no members that may be missing.
const AUTOMATIC = cases.automatic as unknown as Case[];
const PERSONAL = cases.personal as unknown as Case[];

/** Whether headers or sender decide, without the words of subject and text. */
const isByHeader = ([, { headers, from, isAutomatic }]: Case): boolean =>
  headers !== undefined || from !== undefined || isAutomatic === true;

it.each(AUTOMATIC.filter(isByHeader))('automaticMail() recognises %s', (_, signs, text, kind) => {
  expect(automaticMail(signs, text)).toBe(kind);
});
it.each(PERSONAL.filter(isByHeader))('automaticMail() leaves what a person wrote: %s', (_, signs, text) => {
  expect(automaticMail(signs, text)).toBeUndefined();
});
it('recognises at least 95 % of automatic mail by its words alone', () => {
  const mails = AUTOMATIC.filter((mail) => !isByHeader(mail));
  const wrong = mails.filter(([, signs, text, kind]) => automaticMail(signs, text) !== kind);
  expect(wrong.length / mails.length, wrong.map(([name]) => name).join(' | ')).toBeLessThanOrEqual(0.05);
});
it('takes nothing that a person wrote for automatic mail by its words', () => {
  const mails = PERSONAL.filter((mail) => !isByHeader(mail));
  expect(mails.filter(([, signs, text]) => automaticMail(signs, text) !== undefined)).toEqual([]);
});
it('leaves words of an absence to a person who asks', () => {
  const text = 'I am on annual leave until 3 May. I will reply when I return. ';
  expect(automaticMail({}, text)).toBe('an automatic reply');
  expect(automaticMail({}, `${text}Can you deliver on Tuesday?`)).toBeUndefined();
});
it('reads the subject and the sender from the header when nothing else gives them', () => {
  expect(automaticMail({ headers: { Subject: 'Automatic reply: hi' } })).toBe('an automatic reply');
  expect(automaticMail({ headers: { From: 'MAILER-DAEMON@mx.example' } })).toBe('a delivery report');
});
it.each([
  [{ from: `${'no'.repeat(50_000)}@example.net` }, 'x'],
  [{ headers: { precedence: ' '.repeat(100_000) } }, 'The fan is loud. '.repeat(50_000)],
  [{ subject: 'loud fan '.repeat(20_000) }, `${'. '.repeat(100_000)}`],
])('reads a bounded part of long fields (%#)', (signs, text) => {
  expect(automaticMail(signs, text)).toBeUndefined();
});
