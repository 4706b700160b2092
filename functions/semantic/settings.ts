import {
  cacheSettings,
  languageSettings,
  modelSettings,
  vectorSettings,
} from '../../src/ai/adapters/settings.ts';
import { identitySettings } from '../../src/platform/context/identity.ts';
import type { SettingsSchema } from '../../src/platform/settings/settings.ts';

/** All variables of the function. */
export const settings = {
  ...identitySettings,
  ...vectorSettings,
  ...cacheSettings,
  ...modelSettings,
  ...languageSettings,
} satisfies SettingsSchema;
