/**
 * Escapes a text, such as a customer's name or a title, so that Markdown shows it literally and on one line: no emphasis,
 * links, tables, lists, raw HTML or mentions.
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

/** The same line by line. */
export const escapeLines = (text: string): string =>
  text
    .split(/\r\n|\n|\r/)
    .map(escapeMarkdown)
    .join('\n');

/**
 * Disables mentions in chat tools: `@everyone`, `@name`, and the `<!channel>`, `<@U…>`, `<#C…>` of some. The visible text
 * stays the same. Mail addresses are unchanged, and so is code except for mentions of everyone.
 */
export const quietMentions = (text: string, { isCode = false } = {}): string =>
  text.includes('@') || text.includes('<')
    ? text.replace(isCode ? CALLS_IN_CODE : CALLS, (mark) => `${mark}\u200b`)
    : text;

/** Also matches at the end of a text, as emphasis may follow. */
const CALLS = /(?<![\p{L}\p{N}._%+-])@(?=[\p{L}\p{N}_@]|$)|<(?=[!@#](?:[\p{L}\p{N}^&]|$)|$)/gu;
const CALLS_IN_CODE = /@(?=(?:everyone|here|channel|all|team|group)\b)|<(?=[!@#][\p{L}\p{N}^&])/giu;
