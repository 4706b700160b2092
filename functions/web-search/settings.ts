import { languageSettings, modelSettings } from '../../src/ai/adapters/settings.ts';
import { shopSettings } from '../../src/librarians/agents/shop-settings.ts';
import {
  braveSettings,
  searchSettings,
  serpApiSettings,
} from '../../src/librarians/web-search/web-search-agent.ts';
import { identitySettings } from '../../src/platform/context/identity.ts';
import type { SettingsSchema } from '../../src/platform/settings/settings.ts';

/** All variables of the function. */
export const settings = {
  ...identitySettings,
  ...modelSettings,
  ...languageSettings,
  ...shopSettings,
  ...searchSettings,
  ...serpApiSettings,
  ...braveSettings,
} satisfies SettingsSchema;
