/**
 * A stranger's line as Markdown that shows it literally: every sign that could open markup gets a backslash (CommonMark
 * 0.31.2, section 2.4). The text must be one line and stand within one.
 */
export const escapeMarkdown = (text: string): string =>
  text.replace(/[\\`*_[\]<>|~]|!(?=\[)|&(?=#?\w)|^[#=+-]|(?<=^\d{1,9})[.)]/g, '\\$&');

/** A link; the address must come from `cleanUrl`, which encodes spaces, quotes and tags. */
export const markdownLink = (text: string, url: string): string =>
  `[${escapeMarkdown(text)}](${url.replace(/[()<>\\`|]/g, percentEncoded).replace(/&(?=#?\w+;)/g, '&amp;')})`;

const percentEncoded = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
