import * as z from 'zod';

/** The kinds of source that a part of a question can be asked of: the agent types other than `hybrid` itself. */
export const SourceType = z.enum(['analytics', 'semantic', 'web_search']);
export type SourceType = z.infer<typeof SourceType>;

/** Who answers for a kind of source, which right that takes, and how people call it. */
export const SOURCES = {
  analytics: { librarian: 'analytics', capability: 'sql:read', name: 'the shop database' },
  semantic: { librarian: 'semantic', capability: 'kb:read', name: 'the knowledge base' },
  web_search: { librarian: 'web-search', capability: 'web:search', name: 'the web search' },
} as const satisfies Record<SourceType, { librarian: string; capability: string; name: string }>;
