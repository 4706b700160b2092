import { describe, expect, it } from 'vitest';
import { withoutQuotedHistory } from '../../src/helpdesk/tools/quoted-history.ts';
import { htmlText, inOrder } from '../../src/helpdesk/tools/ticket-parts.ts';

describe('withoutQuotedHistory()', () => {
  it('leaves out the message that is answered, by the line that mail programs write above it', () => {
    for (const line of [
      'On Thu, 15 Jan 2026 at 10:30, Support <support@example.com> wrote:',
      'On Thu, 15 Jan 2026 at 10:30, Support\n<support@example.com> wrote:',
      'Am 15.01.2026 um 10:30 schrieb Support <support@example.com>:',
      'Le jeu. 15 janv. 2026 à 10:30, Support <support@example.com> a écrit :',
      '2026-01-15 10:30 GMT+01:00 Support <support@example.com>:',
    ]) {
      const text = `Still nothing.\n\n${line}\n\n> Please restart it.\n>\n> > 0 H/s\n`;
      expect(withoutQuotedHistory(text)).toBe('Still nothing.');
    }
  });

  it("leaves out all below Outlook's separator", () => {
    const text =
      'Still nothing.\n\n-----Original Message-----\nFrom: Support <support@example.com>\nSent: today\n\nPlease restart it.';
    expect(withoutQuotedHistory(text)).toBe('Still nothing.');
    const german = text.replace('Original Message', 'Ursprüngliche Nachricht').replace('From', 'Von');
    expect(withoutQuotedHistory(german)).toBe('Still nothing.');
  });

  it('keeps what somebody quotes themselves', () => {
    for (const text of [
      'I get this:\n\n> error 7\n> error 8',
      'Since 2026 I get this:\n\n> error 7',
      '> Did you restart it?\n\nYes, twice.',
      'On Thu, 15 Jan 2026 at 10:30, Support <support@example.com> wrote:\n> Did you?\n\nYes.',
      '-----BEGIN LOG-----\nerror 7\n-----END LOG-----',
    ]) {
      expect(withoutQuotedHistory(text)).toBe(text);
    }
  });

  it('keeps a text that is nothing but quoted', () => {
    const text = 'On Thu, 15 Jan 2026 at 10:30, Support <support@example.com> wrote:\n> Please restart it.';
    expect(withoutQuotedHistory(text)).toBe(text);
  });

  it('takes linear time', () => {
    for (const text of [
      '>'.repeat(100_000),
      '> \n'.repeat(50_000),
      `${'-----a'.repeat(20_000)}`,
      '--- a ---\n'.repeat(20_000),
      'a:\n'.repeat(50_000),
    ]) {
      const start = performance.now();
      withoutQuotedHistory(text);
      expect(performance.now() - start).toBeLessThan(500);
    }
  });

  it('is used for replies, and not for the first message, whose quote stands nowhere else', () => {
    const line = 'On Thu, 15 Jan 2026 at 10:30, Support &lt;support@example.com&gt; wrote:';
    const html = `<div>See below.</div><br><div>${line}<br></div><blockquote type="cite"><p>Restart it.</p></blockquote>`;
    const message = { id: '1', from: 'customer' as const, isPublic: true, text: htmlText(html), sentAtMs: undefined };
    const [first, second] = inOrder([message, { ...message, id: '2' }]);
    expect(first?.text).toMatch(/^See below\.[\s\S]*> Restart it\.$/);
    expect(second?.text).toBe('See below.');
  });
});
