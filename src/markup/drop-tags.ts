/**
 * Drops the tags of HTML elements that Markdown authors use for presentation alone, such as `<details>` and `<br>`: a passage that is shown
 * as text would show the tags. Code keeps them, and so do placeholders such as `<user name>`.
 */
export const dropTags = (markdown: string): string =>
  markdown.includes('<')
    ? markdown.replace(CODE_OR_TAG, (found, code: string | undefined, tag = '') => {
        if (code !== undefined) return found;
        return SEPARATING.has(tag.toLowerCase()) ? ' ' : '';
      })
    : markdown;

/** A fenced block or a code span (group 1), or a tag and its name (group 2). */
const CODE_OR_TAG =
  /(^[ \t]*(?:```[\s\S]*?(?:^[ \t]*```|$(?![\s\S]))|~~~[\s\S]*?(?:^[ \t]*~~~|$(?![\s\S])))|`[^`\n]{1,1000}`)|<\/?(br|hr|p|div|span|center|details|summary|ul|ol|li|b|i|u|em|strong|small|big|font|sub|sup)(?:\s[^<>]{0,500})?\/?>/gim;

/** What stands between words. */
const SEPARATING: ReadonlySet<string> = new Set(['br', 'hr', 'p', 'div', 'li']);
