import { html } from 'hono/html';
import { markdownToText } from '../../src/documents/markdown/render-markdown.ts';
import { type Digest, type DigestList, digestMarkdown, oneLine } from './digest-text.ts';

type Html = ReturnType<typeof html>;

/** Mail programs read styles of elements alone, and lay out by tables (caniemail.com). Colours have 4.5:1 on white. */
const STYLE = {
  page: 'margin:0;padding:24px 12px;background:#f4f4f2;',
  sheet:
    'width:100%;max-width:640px;background:#ffffff;border:1px solid #deded9;border-radius:8px;',
  cell: 'padding:20px 24px;font:15px/1.5 -apple-system,Segoe UI,Helvetica,Arial,sans-serif;color:#22252c;',
  title: 'margin:0;font-size:20px;line-height:1.3;color:#22252c;',
  heading: 'margin:0 0 8px;font-size:16px;line-height:1.3;color:#22252c;',
  table: 'width:100%;border-collapse:collapse;',
  row: 'padding:6px 0;border-bottom:1px solid #e6e6e2;text-align:left;vertical-align:top;font-size:15px;color:#22252c;',
  number:
    'padding:6px 0 6px 12px;border-bottom:1px solid #e6e6e2;text-align:right;vertical-align:top;white-space:nowrap;',
  quiet: 'color:#5d6270;font-size:13px;',
  link: 'color:#1f55b0;',
} as const;

/** A digest as an HTML page without style sheets, scripts or pictures. Links lead into the console at `url`. */
export async function digestHtml(digest: Digest, url: string): Promise<string> {
  const { title, notice, unread, lists } = digest;
  const sentences = [...(notice === undefined ? [] : [notice]), ...unread];
  const page = await html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body style="${STYLE.page}">
<table role="presentation" align="center" cellpadding="0" cellspacing="0" style="${STYLE.sheet}">
<tr><td style="${STYLE.cell}"><h1 style="${STYLE.title}">${title}</h1></td></tr>
${sentences.map(
  (sentence) => html`<tr><td style="${STYLE.cell}">${sentence}</td></tr>
`,
)}
${countsHtml(digest, url)}${channelsHtml(digest)}
${lists.map((list) => listHtml(list, url))}
</table>
</body>
</html>
`;
  return page.toString();
}

/** Within the console, whatever the words of a customer are: they are in the query alone. */
const link = (path: string, url: string, words: string | number): Html =>
  html`<a href="${new URL(path, url).href}" style="${STYLE.link}">${words}</a>`;

const countsHtml = ({ counts }: Digest, url: string): Html | '' =>
  counts.length === 0
    ? ''
    : html`<tr><td style="${STYLE.cell}"><table style="${STYLE.table}">
<tr><th scope="col" style="${STYLE.row}${STYLE.quiet}">Outcome</th><th scope="col" style="${STYLE.number}${STYLE.quiet}">Number</th>
<th scope="col" style="${STYLE.number}${STYLE.quiet}">Before</th></tr>
${counts.map(
  ({
    label,
    number,
    before,
    path,
  }) => html`<tr><td style="${STYLE.row}">${link(path, url, label)}</td>
<td style="${STYLE.number}"><b>${number}</b></td><td style="${STYLE.number}${STYLE.quiet}">${before}</td></tr>
`,
)}</table></td></tr>`;

const channelsHtml = ({ channels, counts }: Digest): Html | '' =>
  channels.length === 0
    ? ''
    : html`<tr><td style="${STYLE.cell}"><h2 style="${STYLE.heading}">By channel</h2><table style="${STYLE.table}">
<tr><th scope="col" style="${STYLE.row}${STYLE.quiet}">Channel</th>${counts.map(
        ({ label }) =>
          html`<th scope="col" style="${STYLE.number}${STYLE.quiet}white-space:normal;">${label}</th>`,
      )}</tr>
${channels.map(
  ({ name, numbers }) => html`<tr><td style="${STYLE.row}">${name}</td>${numbers.map(
    (number) => html`<td style="${STYLE.number}">${number}</td>`,
  )}</tr>
`,
)}</table></td></tr>`;

const listHtml = ({ title, items, total, path }: DigestList, url: string): Html =>
  html`<tr><td style="${STYLE.cell}"><h2 style="${STYLE.heading}">${title}</h2><table style="${STYLE.table}">
${items.map(
  ({
    words,
    remark,
    path: itemPath,
  }) => html`<tr><td style="${STYLE.row}">${link(itemPath, url, oneLine(words))}</td>
<td style="${STYLE.number}${STYLE.quiet}white-space:normal;">${oneLine(remark)}</td></tr>
`,
)}</table>${
    total > items.length
      ? html`<p style="margin:8px 0 0;">${link(path, url, `All ${total}`)}</p>`
      : ''
  }</td></tr>
`;

/** Characters of a line of base64 (RFC 2045, section 6.8). */
const LINE = 76;

/**
 * A message for `sendmail -t` and other programs that send what they read: the HTML page, and beside it the same as text
 * (RFC 2046, section 5.1.4). Its headers have the subject and, where given, who it is from and for.
 */
export async function digestMail(
  digest: Digest,
  {
    url,
    from,
    to,
    boundary,
  }: { url: string; from?: string | undefined; to?: string | undefined; boundary: string },
): Promise<string> {
  const part = (type: string, content: string): string[] => [
    `--${boundary}`,
    `Content-Type: ${type}; charset=utf-8`,
    'Content-Transfer-Encoding: base64',
    '',
    ...(Buffer.from(content)
      .toString('base64')
      .match(new RegExp(`.{1,${LINE}}`, 'g')) ?? []),
  ];
  return [
    ...(from === undefined ? [] : [`From: ${from}`]),
    ...(to === undefined ? [] : [`To: ${to}`]),
    `Subject: ${digest.title}`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    '',
    ...part('text/plain', `${markdownToText(digestMarkdown(digest))}\n`),
    ...part('text/html', await digestHtml(digest, url)),
    `--${boundary}--`,
    '',
  ].join('\r\n');
}
