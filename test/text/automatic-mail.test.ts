import { expect, it } from 'vitest';
import { automaticMail, type MailSigns } from '../../src/text/automatic-mail.ts';
import cases from './automatic-mail.json' with { type: 'json' };

it.each(cases.automatic as unknown as [string, MailSigns, string, string][])(
  'automaticMail() recognises %s',
  (_, signs, text, kind) => expect(automaticMail(signs, text)).toBe(kind),
);
it.each(cases.personal as unknown as [string, MailSigns, string][])(
  'automaticMail() leaves what a person wrote: %s',
  (_, signs, text) => expect(automaticMail(signs, text)).toBeUndefined(),
);
it('reads the subject and the sender from the header when nothing else gives them', () => {
  expect(automaticMail({ headers: { Subject: 'Automatic reply: hi' } })).toBe('an automatic reply');
  expect(automaticMail({ headers: { From: 'MAILER-DAEMON@mx.example' } })).toBe('a delivery report');
});
it.each([
  [{ subject: 'automatic reply '.repeat(20_000) }, ''],
  [{ from: `${'no'.repeat(50_000)}@example.net` }, 'x'],
  [{ headers: { precedence: ' '.repeat(100_000) } }, 'I am out of '.repeat(50_000)],
])('reads a bounded part of long fields (%#)', (signs, text) => {
  expect(automaticMail(signs, text)).toBeUndefined();
});
