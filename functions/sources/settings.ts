import { articleSettings } from '../../src/knowledge/sources/source-settings.ts';
import { identitySettings } from '../../src/platform/context/identity.ts';
import type { SettingsSchema } from '../../src/platform/settings/settings.ts';

/** All variables of the function. */
export const settings = {
  ...identitySettings,
  ...articleSettings,
} satisfies SettingsSchema;
