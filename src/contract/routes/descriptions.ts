import { ANSWER_DESCRIPTIONS } from './answers.ts';
import { ARTICLE_DESCRIPTIONS } from './articles.ts';
import { ASK_DESCRIPTIONS } from './ask.ts';
import { CHECK_DESCRIPTIONS } from './checks.ts';
import { EDITION_DESCRIPTIONS } from './editions.ts';
import { GAP_DESCRIPTIONS } from './gaps.ts';
import type { RouteDescription } from './http-route.ts';
import type { RouteName } from './http-routes.ts';
import { KNOWLEDGE_DESCRIPTIONS } from './knowledge.ts';
import { LIBRARIAN_DESCRIPTIONS } from './librarians.ts';
import { MEMORY_DESCRIPTIONS } from './memory.ts';
import { OPERATIONS_DESCRIPTIONS } from './operations.ts';
import { PROTOCOL_DESCRIPTIONS } from './protocols.ts';
import { SUPPORT_DESCRIPTIONS } from './support.ts';
import { TICKET_DESCRIPTIONS } from './tickets.ts';

/** How each route of `ROUTES` is described. */
export const DESCRIPTIONS = {
  ...ASK_DESCRIPTIONS,
  ...ANSWER_DESCRIPTIONS,
  ...PROTOCOL_DESCRIPTIONS,
  ...LIBRARIAN_DESCRIPTIONS,
  ...KNOWLEDGE_DESCRIPTIONS,
  ...GAP_DESCRIPTIONS,
  ...CHECK_DESCRIPTIONS,
  ...EDITION_DESCRIPTIONS,
  ...SUPPORT_DESCRIPTIONS,
  ...TICKET_DESCRIPTIONS,
  ...ARTICLE_DESCRIPTIONS,
  ...MEMORY_DESCRIPTIONS,
  ...OPERATIONS_DESCRIPTIONS,
} as const satisfies Record<RouteName, RouteDescription>;
