import type { HelpdeskTool } from '../helpdesk-tool.ts';
import { chatwoot } from './chatwoot/chatwoot.ts';

/** Every tool by the name in its address. */
export const helpdeskTools = { chatwoot } satisfies Record<string, HelpdeskTool>;
