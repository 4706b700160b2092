import { identitySettings } from '../../src/platform/context/identity.ts';
import type { SettingsSchema } from '../../src/platform/settings/settings.ts';
import { handoverSettings } from '../../src/support/tickets/handover-target.ts';
import { ticketSettings } from '../../src/support/tickets/ticket-times.ts';
import { helpdeskSettings } from '../../src/support/tools/connections.ts';

/** All variables of the function. */
export const settings = {
  ...identitySettings,
  ...helpdeskSettings,
  ...handoverSettings,
  ...ticketSettings,
} satisfies SettingsSchema;
