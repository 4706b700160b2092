/**
 * Leaves out what a mail program puts below a reply: the message that is answered. That is a block of quoted lines at the
 * end whose line before it tells a year, and a time or an address, and ends with a colon; or all from a line such as
 * `-----Original Message-----` on that a sender follows. What somebody quotes in the middle stays, and so does a text that is
 * nothing but quoted.
 *
 * @param text Plain or Markdown, with the lines of a quote behind `>`. Linear.
 */
export const withoutQuotedHistory = (text: string): string => {
  const lines = text.split('\n');
  const end = Math.min(quoteAt(lines), separatorAt(lines));
  const kept = lines.slice(0, end).join('\n').trimEnd();
  return kept === '' ? text : kept;
};

const quoteAt = (lines: readonly string[]): number => {
  let at = lines.length;
  while (at > 0 && isBlankOr(lines[at - 1], (line) => line.startsWith('>'))) at -= 1;
  const hasQuote = lines.slice(at).some((line) => line.trimStart().startsWith('>'));
  if (!hasQuote) return lines.length;
  const last = lines.slice(0, at).findLastIndex((line) => line.trim() !== '');
  if (isAttribution(lines[last] ?? '')) return last;
  // A long one is broken in two: `On Thu, 15 Jan 2026, Support` and `<support@example.com> wrote:`.
  return isAttribution(`${lines[last - 1] ?? ''} ${lines[last] ?? ''}`) && isShort(lines[last])
    ? last - 1
    : lines.length;
};

const isBlankOr = (line: string | undefined, holds: (line: string) => boolean): boolean => {
  const text = (line ?? '').trim();
  return text === '' || holds(text);
};

const isShort = (line: string | undefined): boolean => (line ?? '').length <= 120;

/** `On Thu, 15 Jan 2026 at 10:30, Support <support@example.com> wrote:`, in any language. */
const isAttribution = (line: string): boolean => {
  const text = line.trim();
  return text.length <= 400 && text.endsWith(':') && /(?:19|20)\d\d/.test(text) && /[@\d]{1,2}[.:/]\d\d|@/.test(text);
};

/** Outlook's separator, with its `From:` within the two lines that follow. */
const separatorAt = (lines: readonly string[]): number => {
  const at = lines.findIndex(
    (line, index) =>
      line.length <= 80 &&
      /^\s*-{3,}\s?\p{L}[\p{L}'’ ]{2,40}-{3,}\s*$/u.test(line) &&
      lines.slice(index + 1, index + 4).some((next) => /^\W{0,4}\p{L}{2,12}\W{0,4}:.*@/u.test(next.slice(0, 200))),
  );
  return at === -1 ? lines.length : at;
};
