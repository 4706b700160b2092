import createMarkdownIt from 'markdown-it';

/**
 * Parses Markdown as answers, articles and drafts have it: CommonMark 0.31.2 with GFM's tables and strikethrough. Link
 * definitions are text, since a part of an article may hold the link alone. Addresses stay as written; `readMarkdown` checks them.
 */
export const markdownParser = createMarkdownIt({ html: true, linkify: true });
markdownParser.block.ruler.disable('reference');
markdownParser.validateLink = () => true;
markdownParser.normalizeLink = (url) => url;
markdownParser.normalizeLinkText = (url) => url;
// A bare name with a dot may be a file.
markdownParser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
for (const scheme of ['ftp:', 'mailto:', '//']) markdownParser.linkify.add(scheme, null);
