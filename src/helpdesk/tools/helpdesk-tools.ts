import type { HelpdeskId, HelpdeskTool } from '../helpdesk-tool.ts';
import { chatwoot } from './chatwoot/chatwoot.ts';
import { freshdesk } from './freshdesk/freshdesk.ts';
import { gorgias } from './gorgias/gorgias.ts';
import { helpScout } from './help-scout/help-scout.ts';
import { hubspot } from './hubspot/hubspot.ts';
import { intercom } from './intercom/intercom.ts';
import { standard } from './standard/standard.ts';
import { zammad } from './zammad/zammad.ts';
import { zendesk } from './zendesk/zendesk.ts';

/** Every tool by the name in its address. */
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
