import * as z from 'zod';
import {
  attemptSettings,
  readSettings,
  type SettingsSchema,
  type Variables,
} from '../../platform/settings/settings.ts';
import { json } from '../../platform/settings/values.ts';
import { HELPDESK_IDS, type HelpdeskId } from '../tools/helpdesk-tool.ts';

export const handoverSettings = {
  HANDOVER: json(z.record(z.string().min(1).max(128), z.enum([...HELPDESK_IDS, 'list'])), {
    what: 'Where [visitors](widget.md#handing-over-to-a-person) are handed over to a person, by workspace; `list` for none of the tools',
    example: '{"default": "zendesk"}',
    usual: {},
    otherwise: 'none',
  }),
} satisfies SettingsSchema;
type HandoverVariables = Variables<typeof handoverSettings>;

/** Reads the tool or `list` to which requests of visitors go, by workspace; undefined where a workspace accepts none. */
export function readHandoverTargets(
  variables: HandoverVariables,
): (workspace: string) => HelpdeskId | 'list' | undefined {
  // A variable that cannot be read accepts none: tickets and answers do not depend on it, and `npm run doctor` names it.
  const targets =
    attemptSettings(() => readSettings(handoverSettings, variables).HANDOVER).value ?? {};
  return (workspace) => (Object.hasOwn(targets, workspace) ? targets[workspace] : undefined);
}
