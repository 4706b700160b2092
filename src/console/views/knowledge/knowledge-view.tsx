import type { ViewProps } from '../../shell/view-entry.ts';
import { ArticlePage } from './article.tsx';
import { ArticleForm } from './article-form.tsx';
import { ArticleList } from './article-list.tsx';
import { CitationList } from './citations.tsx';
import { EditionPage, EditionsPage } from './editions.tsx';
import { HealthList } from './health-list.tsx';

/** The articles, what writers should look at, how often answers cite each, and one article to read, change or delete. */
const KnowledgeView = ({ query }: ViewProps) => {
  const id = query.get('article') ?? undefined;
  if (query.has('edit')) return <ArticleForm key={`edit ${id}`} id={id} />;
  if (id !== undefined) return <ArticlePage key={id} id={id} />;
  const edition = query.get('edition');
  if (edition !== null) return <EditionPage id={edition} article={query.get('changed') ?? undefined} />;
  if (query.has('editions')) return <EditionsPage />;
  const cited = query.get('cited');
  if (cited !== null) return <CitationList isNever={cited === 'never'} />;
  const kind = query.get('health');
  return kind === null ? <ArticleList query={query} /> : <HealthList kind={kind} />;
};

export default KnowledgeView;
