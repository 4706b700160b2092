/** A text as Markdown shows it literally (CommonMark 0.31.2, section 2.4). On one line. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_[\]<>#|~!&]/g, '\\$&');
