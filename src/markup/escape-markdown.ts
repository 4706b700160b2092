/**
 * Writes a text, such as a customer's name or a title, so that Markdown shows it as it is, on one line: without emphasis, links,
 * tables, lists or raw HTML, and without calling anybody.
 *
 * @param text Line breaks and control characters become spaces.
 */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/[\\`*_[\]<>|~&@]/g, '\\$&')
    .replace(/:(?=\/\/)|(?<=\bwww)\./gi, '\\$&')
    .replace(/!(?=\\\[)/g, '\\!')
    .replace(/^[-+#=](?=[-+#= ]|$)/, '\\$&')
    .replace(/^(\d{1,9})([.)])/, '$1\\$2');

/**
 * A text in which chat tools find nobody to call: `@everyone`, `@name`, and the `<!channel>`, `<@U…>`, `<#C…>` of some. They look
 * the same. Mail addresses stay as they are, and so does code but for what calls everybody.
 */
export const quietMentions = (text: string, { isCode = false } = {}): string =>
  text.includes('@') || text.includes('<')
    ? text.replace(isCode ? CALLS_IN_CODE : CALLS, (mark) => `${mark}\u200b`)
    : text;

/** At the end of a text as well: what follows may be emphasis. */
const CALLS = /(?<![\p{L}\p{N}._%+-])@(?=[\p{L}\p{N}_@]|$)|<(?=[!@#](?:[\p{L}\p{N}^&]|$)|$)/gu;
const CALLS_IN_CODE = /@(?=(?:everyone|here|channel|all|team|group)\b)|<(?=[!@#][\p{L}\p{N}^&])/giu;
