import * as z from 'zod';
import { describeIssues, readAs } from '../../contract/core/error-info.ts';
import { addressProblem } from '../http/public-address.ts';

/** What `npm run doctor` calls for a variable (tools/release/checks.ts). */
export type DoctorCheck = 'articles' | 'helpdesks' | 'hosts' | 'models' | 'redis' | 'vector';

/** A variable or secret of a function, as it is read, checked, documented and deployed. Build one with `values.ts`. */
export interface Setting<Value = unknown> {
  /** What it is for, one plain sentence; Markdown of docs/configuration.md. */
  what: string;
  /** The values that are allowed, as a noun: `a whole number from 1 to 100`. */
  allowed: string;
  /** What holds where it is not set, for docs/configuration.md. */
  otherwise: string;
  /** Set with `wrangler secret put`, never written into a file of the repository. */
  secret?: true | undefined;
  doctor?: DoctorCheck | undefined;
  /** Reads the text of the variable. `isLocal`: in development, where services on this machine are allowed. */
  schema(isLocal: boolean): z.ZodType<Value>;
  /** The value where it is not set. */
  usual(isLocal: boolean): Value;
}

/** The variables of a function, or of a part of one, by name. */
export type SettingsSchema = Readonly<Record<string, Setting>>;

/** The texts of the variables in an environment; an empty one counts as not set. */
export type Variables<Schema extends SettingsSchema> = {
  [Name in keyof Schema]?: string | undefined;
};

export type Settings<Schema extends SettingsSchema> = {
  [Name in keyof Schema]: Schema[Name] extends Setting<infer Value> ? Value : never;
};

/** A variable has an invalid value, so its function must not start. The message never contains a secret. */
export class SettingRefused extends Error {
  override readonly name = 'SettingRefused';
  readonly variable: string;

  /**
   * @param wrong What is wrong, after the name and a colon.
   * @param allowed The values that are allowed, when `wrong` does not say it.
   */
  constructor(variable: string, wrong: string, allowed?: string) {
    super(
      `Cannot use ${variable}: ${wrong}${allowed === undefined ? '' : `; allowed is ${allowed}`}`,
    );
    this.variable = variable;
  }
}

/**
 * The values of a schema's variables. The only place where functions read their variables: `npm test` checks that each reads only what
 * stands in its `functions/<name>/settings.ts`.
 *
 * @throws {SettingRefused} For the first invalid value.
 * @example
 * import { wholeNumber } from './values.ts';
 *
 * const settings = {
 *   TASK_HOURS: wholeNumber({ from: 1, to: 720, usual: 24, what: 'Hours that a task is stored' }),
 * } satisfies SettingsSchema;
 * const { TASK_HOURS } = readSettings(settings, { TASK_HOURS: '48' }); // 48
 */
export function readSettings<Schema extends SettingsSchema>(
  schema: Schema,
  env: Variables<Schema>,
): Settings<Schema> {
  const isLocal = isDevelopment(env);
  const values = Object.entries(schema).map(([name, setting]) => {
    const text = textOf(env, name);
    if (text === undefined) return [name, setting.usual(isLocal)];
    const result = readAs(setting.schema(isLocal), text);
    if (result.ok) return [name, result.value];
    const { issues } = result;
    const isSaid = issues.every(({ message }) => message === IS_NOT_ALLOWED);
    throw isSaid
      ? new SettingRefused(name, `it is not ${setting.allowed}`)
      : new SettingRefused(name, describeIssues(issues), setting.allowed);
  });
  // Each value comes from the setting of its name.
  return Object.fromEntries(values) as Settings<Schema>;
}

/** For a variable that leaves only a part of its function unusable: the value, or in one sentence why there is none. */
export function attemptSettings<Value>(
  read: () => Value,
): { value: Value; problem?: undefined } | { value?: undefined; problem: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof SettingRefused) return { problem: error.message };
    throw error;
  }
}

/** Message of an issue for which the allowed values say all. */
export const IS_NOT_ALLOWED = 'is not allowed';

/** Whether an environment is one of development: services on this machine and derived keys are allowed there alone. */
export function isDevelopment(env: object): boolean {
  return textOf(env, 'ENVIRONMENT') === 'development';
}

/** A secret whose name another variable holds; `undefined` when it is not set. */
export function secretOf(env: object, name: string): string | undefined {
  return textOf(env, name);
}

/**
 * The address of a service that stands inside of a variable, as `address` of `values.ts` reads a whole one.
 *
 * @throws {SettingRefused} When secrets must not be sent there.
 */
export function serviceAddress(
  text: string,
  { name, isLocal }: { name: string; isLocal: boolean },
): string {
  const result = addressProblem(text, { isLocal });
  if (result.problem !== undefined) throw new SettingRefused(name, result.problem);
  return result.address;
}

const textOf = (env: object, name: string): string | undefined => {
  // An environment also holds bindings, which are no texts.
  const value = (env as Record<string, unknown>)[name];
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
};

type Environment = 'development' | 'production';

/** In the schema of every function. */
export const environmentSettings = {
  ENVIRONMENT: {
    what: '`production`, or `development`, which accepts derived keys, and services and hosts on this machine',
    allowed: 'a text; all but `development` counts as production',
    otherwise: 'production',
    schema: () =>
      z.string().transform((text): Environment => (text === 'development' ? text : 'production')),
    usual: (): Environment => 'production',
  },
} satisfies SettingsSchema;
