import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostArticleReply } from '../../src/contract/wire/host-article.ts';
import type { Article } from '../../src/knowledge/articles/article.ts';
import { chunkArticle } from '../../src/knowledge/articles/chunk-article.ts';
import { takeInArticle } from '../../src/knowledge/articles/normalise-article.ts';
import { buildEdition } from '../../src/knowledge/edition/build-edition.ts';
import { attachWordVectors } from '../../src/knowledge/edition/edition-vectors.ts';
import { type Edition, openEdition } from '../../src/knowledge/edition/open-edition.ts';
import { attachRepeatedBlocks } from '../../src/knowledge/edition/repeated-blocks.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { readLines } from './eval-data.ts';

/** A knowledge base as the library would publish it, for measuring in the process. */
export interface EvalBase {
  name: string;
  edition: Edition;
}

/** Articles with their chunks. */
export function openEntries(name: string, entries: Parameters<typeof buildEdition>[0]): EvalBase {
  const built = attachRepeatedBlocks(
    buildEdition(entries, { id: name, workspace: 'eval', createdAt: '1970-01-01T00:00:00Z' }),
  );
  return { name, edition: openEdition(attachWordVectors(built, shippedWordVectors())) };
}

/** Articles as they are. */
export function openArticles(name: string, articles: readonly Article[]): EvalBase {
  return openEntries(
    name,
    articles.map((article) => ({ article, chunks: chunkArticle(article) })),
  );
}

const openBase = (name: string, replies: readonly HostArticleReply[]): EvalBase =>
  openEntries(
    name,
    replies.map((reply) => takeInArticle(reply, { articleUrl: () => '' })),
  );

/**
 * A folder of Markdown files with front matter.
 *
 * @param isIn Leaves articles out, by id without ending.
 */
export function openFolder(
  name: string,
  folder: string,
  isIn: (id: string) => boolean = () => true,
): EvalBase {
  return openBase(
    name,
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.mdx?$/.test(file) && isIn(file.replace(/\.mdx?$/, '')))
      .sort()
      .map((id) => ({ id, title: '', url: '', content: readFileSync(join(folder, id), 'utf8') })),
  );
}

interface SupportArticle {
  id: string;
  title: string;
  url: string;
  product: string;
  updated: string;
  content: string;
}

/**
 * The support articles of the evaluation data.
 *
 * @param options.withProducts Each article carries its product as a device, as a knowledge base may.
 * @param options.isIn Leaves articles out, by id.
 */
export function openSupportDocs(
  data: string,
  {
    withProducts = false,
    isIn = () => true,
  }: { withProducts?: boolean; isIn?: (id: string) => boolean } = {},
): EvalBase {
  return openBase(
    'support-docs',
    readLines<SupportArticle>(data, 'support-docs/articles.jsonl')
      .filter(({ id }) => isIn(id))
      .map(({ id, title, url, content, product, updated }) => ({
        id,
        title,
        url,
        content,
        metadata: {
          intent: [],
          device: withProducts ? [product] : [],
          last_updated: `${updated}T00:00:00Z`,
          author: 'docs',
        },
      })),
  );
}

/** A text as the scorer of the evaluation data compares phrases with it. */
export function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_`\\|>#]/g, ' ')
    .replace(/[’‘]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/\s+/g, ' ')
    .toLowerCase();
}
