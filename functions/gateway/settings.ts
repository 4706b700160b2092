import { budgetSettings, modelSettings, storeAddresses } from '../../src/ai/adapters/settings.ts';
import { WorkspaceId } from '../../src/contract/core/names.ts';
import { signInSettings } from '../../src/gateway/access/oidc.ts';
import { contactSettings } from '../../src/gateway/ask/small-talk.ts';
import { keepSettings } from '../../src/gateway/history/keep-answers.ts';
import { identitySettings } from '../../src/platform/context/identity.ts';
import type { SettingsSchema } from '../../src/platform/settings/settings.ts';
import { list, setting } from '../../src/platform/settings/values.ts';
import { handoverSettings } from '../../src/support/tickets/handover-target.ts';

/** Variables of the gateway alone. */
export const gatewaySettings = {
  CORS_ORIGINS: list({ what: 'Web pages that may call the gateway, or `*`' }),
  PANEL_ORIGINS: list({
    what: 'Helpdesks that may show the [panel for agents](agent-panel.md): `https://acme.zendesk.com`',
  }),
  PUBLIC_WORKSPACE: setting(WorkspaceId, {
    what: 'The workspace whose articles anybody may read at `/search` and `/kb/{id}` ([search page](search-page.md))',
    allowed: 'the id of a workspace',
    otherwise: 'none; `default` with `npm start`',
  }),
  ROUTED_PARTNERS: list({
    what: 'Partner librarians that questions may be routed to without being named',
  }),
} satisfies SettingsSchema;

/** All variables of the function. */
export const settings = {
  ...identitySettings,
  ...storeAddresses,
  ...modelSettings,
  ...budgetSettings,
  ...handoverSettings,
  ...contactSettings,
  ...keepSettings,
  ...signInSettings,
  ...gatewaySettings,
} satisfies SettingsSchema;
