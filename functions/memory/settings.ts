import { cacheSettings, modelSettings, vectorSettings } from '../../src/ai/adapters/settings.ts';
import { answerSettings } from '../../src/gateway/history/answer-store.ts';
import { maskSettings } from '../../src/language/privacy/mask-settings.ts';
import { quotaSettings } from '../../src/memory/store/store-memory.ts';
import { identitySettings } from '../../src/platform/context/identity.ts';
import type { SettingsSchema } from '../../src/platform/settings/settings.ts';

/** All variables of the function. */
export const settings = {
  ...identitySettings,
  ...vectorSettings,
  ...cacheSettings,
  ...modelSettings,
  ...quotaSettings,
  ...answerSettings,
  ...maskSettings,
} satisfies SettingsSchema;
