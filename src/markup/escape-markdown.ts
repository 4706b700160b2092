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
