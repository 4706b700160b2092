import type { SettingsSchema } from '../../platform/settings/settings.ts';
import { text } from '../../platform/settings/values.ts';

/** Variables of the two agents that read the shop's database. */
export const shopSettings = {
  SHOP_WORKSPACE: text({
    what: 'The workspace whose shop database is bound as `SHOP_DB` ([analytics](analytics.md))',
    usual: 'default',
  }),
} satisfies SettingsSchema;
