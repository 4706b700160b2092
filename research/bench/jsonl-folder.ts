import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dump } from 'js-yaml';

interface JsonlArticle {
  id: string;
  title: string;
  url?: string;
  product?: string;
  updated?: string;
  content: string;
}

/**
 * Writes a file of articles, one JSON object a line, as a folder of Markdown files with front matter, which is what
 * `npm start -- --kb` takes.
 *
 * @returns How many articles were written.
 */
export function jsonlToFolder(file: string, folder: string): number {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  for (const line of lines) {
    const article = JSON.parse(line) as JsonlArticle;
    const path = join(folder, `${article.id.replace(/[^\w./-]+/g, '-').replace(/\.\.+/g, '.')}.md`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `---\n${dump(frontMatter(article))}---\n\n${article.content}\n`);
  }
  return lines.length;
}

const frontMatter = ({ title, url, product, updated }: JsonlArticle): Record<string, unknown> => ({
  title,
  ...(url === undefined ? {} : { url }),
  ...(product === undefined ? {} : { device: [product] }),
  ...(updated === undefined ? {} : { last_updated: updated }),
});
