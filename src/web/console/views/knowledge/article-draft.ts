import { ConstellationError } from '../../../../../client/constellation-error.ts';
import type { KnowledgeChecksPreviewed } from '../../../../contract/wire/checks.ts';
import type {
  ArticlePut,
  ArticleText,
  ArticleWritten,
} from '../../../../contract/wire/host-article.ts';
import { call, client } from '../../session/deployment.ts';

/** What is typed. Labels are separated by commas. */
export interface Draft {
  id: string;
  title: string;
  url: string;
  intents: string;
  devices: string;
  /** Empty: for everybody of the workspace. */
  audiences: string;
  content: string;
  /** `last_updated` of the article that it began with; empty for a new one. */
  basedOn: string;
}

/** What became of an article, and who changes it. */
export function readText(id: string, signal: AbortSignal): Promise<ArticleText> {
  const path = id.split('/').map(encodeURIComponent).join('/');
  return call<ArticleText>(`GET /api/kb/text/${path}`, { text: 'string' }, { signal });
}

/** The article has changed since it was opened, or there is one with the id of a new one. */
export class Outdated extends Error {
  readonly isNew: boolean;
  constructor({ isNew }: { isNew: boolean }) {
    super('The article has changed');
    this.isNew = isNew;
  }
}

interface Sending {
  author: string | undefined;
  signal: AbortSignal;
}

/** How the checks would end if the article was written. */
export function preview(
  draft: Draft,
  { author, signal }: Sending,
): Promise<KnowledgeChecksPreviewed> {
  return client.checks.preview(
    { id: draft.id.trim(), article: articleIn(draft, author) },
    { signal },
  );
}

/** An article that cannot be checked is saved nevertheless: the checks are run once it is published. */
export function previewForSave(
  draft: Draft,
  sending: Sending,
): Promise<KnowledgeChecksPreviewed | undefined> {
  return preview(draft, sending).catch(() => undefined);
}

const articleIn = (
  { title, url, intents, devices, audiences, content }: Draft,
  author: string | undefined,
): ArticlePut => ({
  title: title.trim(),
  content,
  ...(url.trim() === '' ? {} : { url: url.trim() }),
  metadata: {
    intent: labelsIn(intents),
    device: labelsIn(devices),
    ...(labelsIn(audiences).length === 0 ? {} : { audience: labelsIn(audiences) }),
    ...(author === undefined ? {} : { author }),
  },
});

/** Creates or replaces it. @throws {Outdated} Unless `isForced`. */
export async function put(
  draft: Draft,
  { author, isForced, signal }: Sending & { isForced: boolean },
): Promise<ArticleWritten> {
  const { id, basedOn } = draft;
  const path = id.trim();
  if (!isForced) {
    const current = await client.articles.get(path, { signal }).catch((error: unknown) => {
      if (error instanceof ConstellationError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    });
    if (current !== undefined && current.metadata.last_updated !== basedOn)
      throw new Outdated({ isNew: basedOn === '' });
  }
  return client.articles.put(path, articleIn(draft, author), { signal });
}

const labelsIn = (text: string): string[] =>
  text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');
