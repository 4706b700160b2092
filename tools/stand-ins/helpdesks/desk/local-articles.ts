/** An article of a stand-in, whichever tool it stands for. */
export interface LocalArticle {
  id: string;
  title: string;
  /** HTML, but Markdown in Chatwoot. */
  body: string;
  locale: string;
  labels: readonly string[];
  state: 'published' | 'draft' | 'archived';
  /** `private`: for agents, or for some customers alone. */
  audience: 'public' | 'private';
  /** Milliseconds since 1970. */
  createdAt: number;
  updatedAt: number;
}

interface NewArticle {
  title: string;
  body: string;
  /** `en` when absent; Zendesk writes `en-us`. */
  locale?: string | undefined;
  labels?: readonly string[] | undefined;
  /** `published` when absent. */
  state?: LocalArticle['state'] | undefined;
  /** `public` when absent. */
  audience?: LocalArticle['audience'] | undefined;
}

/** The help center of a stand-in, as its authors use it. */
export interface LocalArticles {
  /** @returns The id that the tool gives it. */
  add(article: NewArticle): string;
  edit(id: string, change: Partial<NewArticle>): void;
  unpublish(id: string): void;
  remove(id: string): void;
  /** In the order they were added. */
  all(): readonly LocalArticle[];
}

/** @param idOf Makes the tool's id of a number from 1. */
export function localArticles({
  now,
  idOf,
  locale = 'en',
}: {
  now: () => number;
  idOf: (number: number) => string;
  locale?: string;
}): LocalArticles {
  const articles = new Map<string, LocalArticle>();
  let count = 0;
  const edit = (id: string, change: Partial<NewArticle>): void => {
    const before = articles.get(id);
    if (before === undefined) throw new Error(`Cannot edit article ${id}: there is none`);
    const given = Object.fromEntries(
      Object.entries(change).filter(([, value]) => value !== undefined),
    );
    articles.set(id, { ...before, ...given, updatedAt: now() });
  };
  return {
    add: ({
      title,
      body,
      locale: own = locale,
      labels = [],
      state = 'published',
      audience = 'public',
    }) => {
      count += 1;
      const id = idOf(count);
      articles.set(id, {
        id,
        title,
        body,
        locale: own,
        labels,
        state,
        audience,
        createdAt: now(),
        updatedAt: now(),
      });
      return id;
    },
    edit,
    unpublish: (id) => edit(id, { state: 'draft' }),
    remove: (id) => void articles.delete(id),
    all: () => [...articles.values()],
  };
}
