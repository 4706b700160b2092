import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeInArticle } from '../../src/knowledge/articles/normalise-article.ts';
import { buildEdition } from '../../src/search/build-edition.ts';
import { fitEdition } from '../../src/search/fit-edition.ts';
import { type Edition, openEdition } from '../../src/search/open-edition.ts';

const FOLDER = fileURLToPath(new URL('../../src/dev/sample/knowledge-base/', import.meta.url));

/** The sample knowledge base, about 40 articles on a miner in three models, as an edition. */
export const openSampleKb = (): Edition => {
  const articles = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((id) => {
      const content = readFileSync(join(FOLDER, id), 'utf8');
      return takeInArticle({ id, title: '', url: '', content }, { articleUrl: () => '' });
    });
  const built = buildEdition(articles, { id: 'e1', workspace: 'default', createdAt: '2026-01-01T00:00:00Z' });
  return openEdition(fitEdition(built));
};
