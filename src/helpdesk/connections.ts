import * as z from 'zod';
import { readAs } from '../contract/issue.ts';
import { serviceAddress } from '../runtime/service-address.ts';
import { HELPDESK_IDS, type HelpdeskConnection, type HelpdeskId } from './helpdesk-tool.ts';

/** What is written into a ticket: an internal note, an unsent draft (a note where the tool has no drafts), or both. */
const Write = z.enum(['note', 'draft', 'both']);
export type Write = z.infer<typeof Write>;

/** Name of a secret of the function on Cloudflare. */
const SecretName = z.string().regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'is not a name of a secret: capitals, digits and _');

const Setting = z.strictObject({
  /** Base URL of the tool's API; absent where nothing can be written back. */
  apiUrl: z.string().max(2048).optional(),
  /** Newest first; two during a rotation. */
  secrets: z.array(SecretName).min(1).max(4),
  token: SecretName.optional(),
  options: z.record(z.string().regex(/^[a-zA-Z]\w{0,39}$/), z.string().max(500)).default({}),
  write: Write.default('note'),
});

/** Variable HELPDESKS: connections by workspace and tool. */
const Settings = z.record(
  z.string().min(1).max(128),
  z.partialRecord(z.enum(HELPDESK_IDS), Setting, 'names an unknown tool'),
);

/** Variables of the function; the secrets named in HELPDESKS are further ones. */
export interface HelpdeskVariables {
  /** `development` or `production`; anything but `development` counts as production. */
  ENVIRONMENT?: string | undefined;
  /** `{"default": {"chatwoot": {"apiUrl": "https://…", "secrets": ["CHATWOOT_SECRET"], "token": "CHATWOOT_TOKEN"}}}` */
  HELPDESKS?: string | undefined;
}

interface OpenConnection extends HelpdeskConnection {
  write: Write;
}

/** A secret that HELPDESKS names is not set, or too short. */
export class SecretMissing extends Error {
  override readonly name = 'SecretMissing';
}

/** The connection of the workspace to the tool was removed. */
export class ConnectionGone extends Error {
  override readonly name = 'ConnectionGone';
}

/** Characters of a secret that deliveries are verified with. */
const MIN_SECRET_LENGTH = 24;

/** HELPDESKS is not in the expected form. */
class HelpdesksRefused extends Error {
  override readonly name = 'HelpdesksRefused';
}

export type Connections = ReturnType<typeof readConnections>;

/**
 * Reads the connections to helpdesk tools.
 *
 * @throws {HelpdesksRefused} When the variable is not in the expected form.
 * @throws {SettingRefused} When a URL is not https to a public host; in development it may be this machine.
 */
export const readConnections = (variables: HelpdeskVariables) => {
  const settings = readAs(Settings, parseJson(variables.HELPDESKS || '{}'));
  if (!settings.ok) {
    const [issue] = settings.issues;
    throw new HelpdesksRefused(
      `Cannot read HELPDESKS: ${issue?.path || 'it'} ${issue?.message ?? 'is not in its form'}`,
    );
  }
  const isLocal = variables.ENVIRONMENT === 'development';
  for (const tools of Object.values(settings.value)) {
    for (const { apiUrl } of Object.values(tools)) {
      if (apiUrl !== undefined) serviceAddress(apiUrl, { name: 'an apiUrl in HELPDESKS', isLocal });
    }
  }
  const settingOf = (workspace: string, helpdesk: HelpdeskId) => {
    const tools = Object.hasOwn(settings.value, workspace) ? settings.value[workspace] : undefined;
    return tools !== undefined && Object.hasOwn(tools, helpdesk) ? tools[helpdesk] : undefined;
  };
  /** The values that are set; at least one. */
  const setOf = (names: readonly string[]): [string, ...string[]] => {
    // Secrets are variables whose names only the setting knows.
    const values = names.map((name) => (variables as Record<string, unknown>)[name]);
    const [first, ...others] = values.filter((value) => typeof value === 'string' && value !== '') as string[];
    if (first === undefined)
      throw new SecretMissing(`Cannot reach the helpdesk: the secret ${names.join(' or ')} is not set`);
    return [first, ...others];
  };
  /** Shorter ones can be guessed: a delivery shows whether a guess is right. */
  const secretsIn = (names: readonly string[]): [string, ...string[]] => {
    const [first, ...others] = setOf(names).filter((secret) => secret.length >= MIN_SECRET_LENGTH);
    if (first !== undefined) return [first, ...others];
    throw new SecretMissing(
      `Cannot trust deliveries: the secret ${names.join(' or ')} has fewer than ${MIN_SECRET_LENGTH} characters. Set a longer one here and in the tool`,
    );
  };
  return {
    /**
     * The shared secrets that are set, newest first. Undefined when the workspace has no connection to the tool. Throws `SecretMissing`
     * when none is set; a missing API token does not matter for deliveries.
     */
    secretsOf: (workspace: string, helpdesk: HelpdeskId): readonly string[] | undefined => {
      const setting = settingOf(workspace, helpdesk);
      return setting && secretsIn(setting.secrets);
    },
    /** The whole connection. Undefined as above. Throws `SecretMissing`, also for the API token. */
    find: (workspace: string, helpdesk: HelpdeskId): OpenConnection | undefined => {
      const setting = settingOf(workspace, helpdesk);
      if (setting === undefined) return undefined;
      const { apiUrl, secrets, token, options, write } = setting;
      return {
        ...{ options, write },
        apiUrl: apiUrl?.replace(/\/+$/, ''),
        secrets: secretsIn(secrets),
        apiToken: token === undefined ? undefined : setOf([token])[0],
      };
    },
  };
};

/** The value of a JSON text; undefined for anything else. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
