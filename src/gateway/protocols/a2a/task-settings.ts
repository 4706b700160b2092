import type { SettingsSchema } from '../../../platform/settings/settings.ts';
import { wholeNumber } from '../../../platform/settings/values.ts';

/** Apart from the Durable Object, which Node cannot load. */
export const taskSettings = {
  TASK_HOURS: wholeNumber({
    from: 1,
    to: 720,
    usual: 24,
    what: 'Hours that a task is stored after its last change ([A2A](a2a.md))',
  }),
} satisfies SettingsSchema;
