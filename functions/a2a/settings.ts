import { taskSettings } from '../../src/gateway/protocols/a2a/task-settings.ts';
import { maskSettings } from '../../src/language/privacy/mask-settings.ts';
import { environmentSettings, type SettingsSchema } from '../../src/platform/settings/settings.ts';

/** All variables of the function. */
export const settings = {
  ...environmentSettings,
  ...maskSettings,
  ...taskSettings,
} satisfies SettingsSchema;
