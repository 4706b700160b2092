import * as z from 'zod';
import {
  readSettings,
  SettingRefused,
  type SettingsSchema,
  type Variables,
} from '../../platform/settings/settings.ts';
import { list } from '../../platform/settings/values.ts';
import { MASK_KINDS, type MaskKind } from './find-personal-data.ts';

/** Apart from the mask, which is small where no settings are read. */
export const maskSettings = {
  PRIVACY_MASK: list({
    what: 'What is [masked](support.md#privacy) in messages, and in answers and tasks before they are kept; `none` for nothing',
    item: z
      .string()
      .toLowerCase()
      .pipe(z.enum([...MASK_KINDS, 'none'])),
    allowed: `${MASK_KINDS.join(', ')}, separated by commas, or \`none\``,
    usual: MASK_KINDS,
    otherwise: `\`${MASK_KINDS.join()}\``,
  }),
} satisfies SettingsSchema;

/**
 * The kinds that are masked.
 *
 * @throws {SettingRefused} For an unknown kind.
 */
export function readMaskKinds(variables: Variables<typeof maskSettings>): readonly MaskKind[] {
  const { PRIVACY_MASK: names } = readSettings(maskSettings, variables);
  if (names.includes('none') && names.length > 1)
    throw new SettingRefused('PRIVACY_MASK', 'none stands beside other kinds');
  return MASK_KINDS.filter((kind) => names.includes(kind));
}
