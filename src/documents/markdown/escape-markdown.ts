/**
 * Escapes a text, such as a customer's name or a title, so that Markdown shows it literally and on one line: no emphasis,
 * links, tables, lists, raw HTML or mentions.
 *
 * @param text Line breaks and control characters become spaces.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/[\\`*_[\]<>|~&@]/g, '\\$&')
    .replace(/:(?=\/\/)|(?<=\bwww)\./gi, '\\$&')
    .replace(/!(?=\\\[)/g, '\\!')
    .replace(/^[-+#=](?=[-+#= ]|$)/, '\\$&')
    .replace(/^(\d{1,9})([.)])/, '$1\\$2');
}

/** The same line by line. */
export function escapeLines(text: string): string {
  return text
    .split(/\r\n|\n|\r/)
    .map(escapeMarkdown)
    .join('\n');
}
