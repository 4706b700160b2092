import { chatwoot } from './chatwoot.ts';
import { freshdesk } from './freshdesk.ts';
import { gorgias } from './gorgias.ts';
import { helpScout } from './help-scout.ts';
import type { HelpdeskId, HelpdeskTool } from './helpdesk-tool.ts';
import { hubspot } from './hubspot.ts';
import { intercom } from './intercom.ts';
import { standard } from './standard.ts';
import { zammad } from './zammad.ts';
import { zendesk } from './zendesk.ts';

/** Every helpdesk tool by its id, the last segment of its webhook URL. */
export const helpdeskTools: Readonly<Record<HelpdeskId, HelpdeskTool>> = {
  chatwoot,
  zendesk,
  intercom,
  zammad,
  'help-scout': helpScout,
  standard,
  freshdesk,
  gorgias,
  hubspot,
};
