import * as z from 'zod';
import { describeIssues, readAs } from '../../contract/core/error-info.ts';
import {
  attemptSettings,
  environmentSettings,
  isDevelopment,
  readSettings,
  type SettingsSchema,
  secretOf,
  serviceAddress,
  type Variables,
} from '../../platform/settings/settings.ts';
import { json } from '../../platform/settings/values.ts';
import {
  HELPDESK_IDS,
  type HelpdeskConnection,
  type HelpdeskId,
  type HelpdeskTool,
} from './helpdesk-tool.ts';

/** What is written into a ticket: an internal note, an unsent draft (a note where the tool has no drafts), or both. */
const Write = z.enum(['note', 'draft', 'both']);
export type Write = z.infer<typeof Write>;

/** Name of a secret of the function on Cloudflare. */
const SecretName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'is not a name of a secret: capitals, digits and _');

const Setting = z.strictObject({
  /** Base URL of the tool's API; absent where nothing can be written back. */
  apiUrl: z.string().max(2048).optional(),
  /** Newest first; two during a rotation. */
  secrets: z.array(SecretName).min(1).max(4),
  token: SecretName.optional(),
  options: z.record(z.string().regex(/^[a-zA-Z]\w{0,39}$/), z.string().max(500)).default({}),
  write: Write.default('note'),
});
type Setting = z.infer<typeof Setting>;

export const helpdeskSettings = {
  ...environmentSettings,
  HELPDESKS: json(z.record(z.string(), z.unknown()), {
    what: 'Connections to [helpdesk tools](helpdesks.md) by workspace',
    example:
      '{"default": {"chatwoot": {"apiUrl": "https://…", "secrets": ["CHATWOOT_SECRET"], "token": "CHATWOOT_TOKEN"}}}',
    usual: {},
    otherwise: 'none',
    doctor: 'helpdesks',
  }),
} satisfies SettingsSchema;
/** The secrets named in HELPDESKS are further ones. */
export type HelpdeskVariables = Variables<typeof helpdeskSettings>;

interface OpenConnection extends HelpdeskConnection {
  write: Write;
}

/** A connection that cannot be used: its entry in HELPDESKS is wrong, or a secret that it names is not set or too short. */
export class ConnectionUnusable extends Error {
  override readonly name = 'ConnectionUnusable';
}

/** The connection of the workspace to the tool was removed. */
export class ConnectionGone extends Error {
  override readonly name = 'ConnectionGone';
}

/** Characters of a secret that deliveries are verified with. */
const MIN_SECRET_LENGTH = 24;

export type Connections = ReturnType<typeof readConnections>;

/** A connection that HELPDESKS names, or what stands in its place. */
export interface ListedConnection {
  workspace: string;
  helpdesk: string;
  /** What is wrong with it and what to do, in one sentence without values of secrets; undefined when it can be used. */
  problem: string | undefined;
}

/** Reads the connections to helpdesk tools. A wrong entry makes only its own connection unusable, a variable that is no JSON all of them. */
export function readConnections(variables: HelpdeskVariables) {
  const { value, problem: unread } = attemptSettings(
    () => readSettings(helpdeskSettings, variables).HELPDESKS,
  );
  const isLocal = isDevelopment(variables);
  const entries = new Map<string, Map<string, Entry>>(
    Object.entries(value ?? {}).map(([workspace, tools]) => [
      workspace,
      readTools(workspace, tools, isLocal),
    ]),
  );
  const settingOf = (workspace: string, helpdesk: HelpdeskId): Setting | undefined => {
    if (unread !== undefined) throw new ConnectionUnusable(unread);
    const entry = entries.get(workspace)?.get(helpdesk);
    if (entry !== undefined && 'problem' in entry) throw new ConnectionUnusable(entry.problem);
    return entry?.setting;
  };
  /** The values that are set; at least one. */
  const setOf = (names: readonly string[]): [string, ...string[]] => {
    const [first, ...others] = names.flatMap((name) => secretOf(variables, name) ?? []);
    if (first === undefined)
      throw new ConnectionUnusable(
        `Cannot reach the helpdesk: the secret ${names.join(' or ')} is not set`,
      );
    return [first, ...others];
  };
  /** Shorter ones can be guessed: a delivery shows whether a guess is right. */
  const secretsIn = (names: readonly string[]): [string, ...string[]] => {
    const [first, ...others] = setOf(names).filter((secret) => secret.length >= MIN_SECRET_LENGTH);
    if (first !== undefined) return [first, ...others];
    throw new ConnectionUnusable(
      `Cannot trust deliveries: the secret ${names.join(' or ')} has fewer than ${MIN_SECRET_LENGTH} characters. Set a longer one here and in the tool`,
    );
  };
  /** The whole connection. Undefined when there is none. Throws `ConnectionUnusable`, also when the API token is not set. */
  const find = (workspace: string, helpdesk: HelpdeskId): OpenConnection | undefined => {
    const setting = settingOf(workspace, helpdesk);
    if (setting === undefined) return undefined;
    const { apiUrl, secrets, token, options, write } = setting;
    return {
      options,
      write,
      apiUrl: apiUrl?.replace(/\/+$/, ''),
      secrets: secretsIn(secrets),
      apiToken: token === undefined ? undefined : setOf([token])[0],
    };
  };
  return {
    find,
    /**
     * The shared secrets that are set, newest first. Undefined when the workspace has no connection to the tool. Throws
     * `ConnectionUnusable` when none is set; a missing API token does not matter for deliveries.
     */
    secretsOf: (workspace: string, helpdesk: HelpdeskId): readonly string[] | undefined => {
      const setting = settingOf(workspace, helpdesk);
      return setting && secretsIn(setting.secrets);
    },
    /** Every connection of one workspace or of all, with what is wrong with it: also an option missing that its tool requires. */
    list: (
      tools: Readonly<Partial<Record<HelpdeskId, HelpdeskTool>>>,
      ofWorkspace?: string,
    ): ListedConnection[] => {
      if (unread !== undefined) return [{ workspace: '?', helpdesk: '?', problem: unread }];
      return [...entries]
        .filter(([workspace]) => ofWorkspace === undefined || workspace === ofWorkspace)
        .flatMap(([workspace, known]) =>
          [...known.keys()].map((name) => {
            const problem = problemOf(() => {
              const entry = known.get(name);
              if (entry !== undefined && 'problem' in entry)
                throw new ConnectionUnusable(entry.problem);
              // Names that are no tools have a problem.
              const helpdesk = name as HelpdeskId;
              const connection = find(workspace, helpdesk);
              if (connection !== undefined) requireSettings(connection, tools[helpdesk]);
            });
            return { workspace, helpdesk: name, problem };
          }),
        )
        .slice(0, MAX_LISTED);
    },
  };
}

const MAX_LISTED = 1000;

const requireSettings = (
  { apiUrl, apiToken, options }: OpenConnection,
  tool: HelpdeskTool | undefined,
): void => {
  if (tool?.requires === undefined) return;
  const given = { apiUrl, token: apiToken };
  const missing = Object.entries(given).flatMap(([name, value]) => (value ? [] : [name]));
  missing.push(...tool.requires.filter((name) => !options[name]).map((name) => `options.${name}`));
  if (missing.length === 0) return;
  throw new ConnectionUnusable(
    `Cannot call ${tool.name}: its entry in HELPDESKS has no ${missing.join(', ')}`,
  );
};

type Entry = { setting: Setting } | { problem: string };

const readTools = (workspace: string, tools: unknown, isLocal: boolean): Map<string, Entry> => {
  const where = `HELPDESKS: ${JSON.stringify(workspace.slice(0, 128))}`;
  const named = z.record(z.string(), z.unknown()).safeParse(tools);
  if (!named.success || workspace === '' || workspace.length > 128)
    return new Map([['?', { problem: `Cannot read ${where} does not name tools of a workspace` }]]);
  return new Map(
    Object.entries(named.data).map(([name, entry]) => [
      name.slice(0, 40),
      readEntry(name, entry, { where, isLocal }),
    ]),
  );
};

const readEntry = (
  name: string,
  entry: unknown,
  { where, isLocal }: { where: string; isLocal: boolean },
): Entry => {
  if (!HELPDESK_IDS.some((id) => id === name))
    return {
      problem: `Cannot read ${where} names an unknown tool; there are ${HELPDESK_IDS.join(', ')}`,
    };
  const setting = readAs(Setting, entry);
  if (!setting.ok)
    return { problem: `Cannot read ${where}, ${name}: ${describeIssues(setting.issues)}` };
  const { apiUrl } = setting.value;
  const problem = problemOf(
    () => apiUrl && serviceAddress(apiUrl, { name: `the apiUrl of ${name} in HELPDESKS`, isLocal }),
  );
  return problem === undefined ? { setting: setting.value } : { problem };
};

const problemOf = (check: () => unknown): string | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 300) : String(error);
  }
};
