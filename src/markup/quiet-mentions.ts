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
