import type * as z from 'zod';
import { type Issue, readAs } from '../../contract/core/error-info.ts';
import { defOf, valueSchema } from '../../contract/core/read-request.ts';
import { editDistance } from '../edit-distance.ts';
import { utf8 } from '../encoding.ts';

/**
 * What to send in place of the first thing that is wrong with a request, by the schema that refused it; the schemas are the only place that
 * says what a member takes.
 *
 * @param name Names a member as the caller sends it, such as `?limit=` in an address.
 * @returns Undefined when nothing can be said that the issue does not say.
 * @example
 * import { AskRequest } from '@constellation/contract';
 *
 * suggestForm(AskRequest, [{ path: 'include.0', message: '…' }]);
 * // Send include.0 as "statements", "navigator", "trace" or "why", or leave out include
 */
export function suggestForm(
  schema: z.ZodType,
  issues: readonly Issue[],
  name: (member: string) => string = (member) => member,
): string | undefined {
  const typo = issues.find(
    (each) => each.message === UNKNOWN && closeMember(schema, each.path.split('.')) !== undefined,
  );
  const issue = typo ?? issues[0];
  if (issue === undefined) return undefined;
  const members = membersFor(schema, issue);
  if (members !== undefined)
    return issue.path === '' ? `Send ${members}` : `Send ${name(issue.path)} with ${members}`;
  if (issue.path === '') return undefined;
  const path = issue.path.split('.');
  if (issue.message === UNKNOWN) {
    const close = closeMember(schema, path);
    const members = membersBeside(schema, path);
    const known = members.slice(0, MAX_NAMED).map(name).join(', ');
    if (close !== undefined) return `Send ${name(close)} in place of ${name(issue.path)}`;
    return members.length === 0
      ? undefined
      : `Leave out ${name(issue.path)}; what is taken here: ${known}`;
  }
  const member = schemaAt(schema, path);
  const form = member && formOf(member);
  if (form === undefined) return undefined;
  const optional = path.findLastIndex((_, at) => {
    const above = schemaAt(schema, path.slice(0, at + 1));
    return above !== undefined && readAs(above as z.ZodType, undefined).ok;
  });
  const omitted = name(path.slice(0, optional + 1).join('.'));
  return `Send ${name(issue.path)} as ${form}${optional < 0 ? '' : `, or leave out ${omitted}`}`.slice(
    0,
    1000,
  );
}

/** Which members mend an object of which each member by itself is right, where its refinement names them in `params.suggestion`. */
const membersFor = (schema: Schema, { path, message }: Issue): string | undefined => {
  const member = schemaAt(schema, path === '' ? [] : path.split('.'));
  const checks = member === undefined ? undefined : defOf(valueSchema(member)).checks;
  const refinement = checks
    ?.map(({ _zod: { def } }) => def as z.core.$ZodCustomDef)
    .find(({ check, error }) => check === 'custom' && error?.({} as never) === message);
  return refinement?.params?.suggestion as string | undefined; // a text of ours, in the schema
};

const membersBeside = (schema: Schema, path: readonly string[]): string[] => {
  const parent = schemaAt(schema, path.slice(0, -1));
  return parent === undefined ? [] : Object.keys(shapeOf(parent));
};

/** The member that was probably meant. */
const closeMember = (schema: Schema, path: readonly string[]): string | undefined =>
  membersBeside(schema, path).find((member) => isTypoOf(path.at(-1) ?? '', member));

const UNKNOWN = 'is not a known member';
const MAX_NAMED = 20;

/** How a member of a query is written in an address. */
export function inAddress(member: string): string {
  return `?${member}=`;
}

type Schema = z.core.$ZodType;

const shapeOf = (schema: Schema): Readonly<Record<string, Schema>> => {
  const def = defOf(valueSchema(schema));
  if (def.type === 'object') return def.shape;
  // Those of the first object: an issue of a union names a member of the closest one.
  if (def.type === 'union')
    return def.options.map(shapeOf).find((shape) => Object.keys(shape).length > 0) ?? {};
  return {};
};

const schemaAt = (schema: Schema, path: readonly string[]): Schema | undefined => {
  const [first, ...rest] = path;
  if (first === undefined) return schema;
  const below = memberOf(valueSchema(schema), first);
  return below === undefined ? undefined : schemaAt(below, rest);
};

const memberOf = (schema: Schema, name: string): Schema | undefined => {
  const def = defOf(schema);
  switch (def.type) {
    case 'object':
      return Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
    case 'array':
      return def.element;
    case 'record':
      return def.valueType;
    case 'union':
      return def.options
        .map((option) => memberOf(valueSchema(option), name))
        .find((found) => found !== undefined);
    default:
      return undefined;
  }
};

/** In words: "a text of 1 to 64 characters", `"up" or "down"`, "a list of up to 8". */
const formOf = (schema: Schema): string | undefined => {
  const def = defOf(valueSchema(schema));
  const { least = 0, most } = boundsOf(def);
  switch (def.type) {
    case 'string':
      return `a text${most === undefined ? '' : ` of ${least === 0 ? 'up' : amount(least)} to ${amount(most)} characters`}`;
    case 'number':
      return `a number${most === undefined ? '' : ` from ${amount(least)} to ${amount(most)}`}`;
    case 'boolean':
      return 'true or false';
    case 'enum':
      return either(Object.values(def.entries).map((entry) => JSON.stringify(entry)));
    case 'literal':
      return either(def.values.map((value) => JSON.stringify(value) ?? ''));
    case 'array': {
      const item = formOf(def.element);
      return `a list of ${most === undefined ? 'values' : `up to ${amount(most)}`}${item === undefined ? '' : `, each ${item}`}`;
    }
    case 'object':
      return withMembers(def.shape);
    case 'record':
      return 'an object';
    case 'union': {
      const forms = def.options.map(formOf);
      return forms.includes(undefined) ? undefined : either([...new Set(forms.map(String))]);
    }
    default:
      return undefined;
  }
};

/** Bounds of the length of a text or a list, or of a number. */
const boundsOf = (def: {
  checks?: readonly unknown[] | undefined;
}): { least?: number; most?: number } => {
  const bounds: { least?: number; most?: number } = {};
  for (const check of def.checks ?? []) {
    const {
      check: kind,
      value,
      minimum,
      maximum,
    } = (check as z.core.$ZodCheck)._zod.def as unknown as Bound;
    if (kind === 'min_length') bounds.least = minimum;
    if (kind === 'max_length') bounds.most = maximum;
    if (kind === 'greater_than') bounds.least = value;
    if (kind === 'less_than') bounds.most = value;
  }
  return bounds;
};

/** Members of the checks that bound a value; each check has some of them. */
interface Bound {
  check: string;
  value: number;
  minimum: number;
  maximum: number;
}

const withMembers = (shape: Readonly<Record<string, Schema>>): string => {
  const required = Object.entries(shape)
    .filter(([, member]) => !readAs(member as z.ZodType, undefined).ok)
    .map(([member]) => member);
  return required.length === 0
    ? 'an object'
    : `an object with ${required.slice(0, MAX_NAMED).join(', ')}`;
};

const either = (all: readonly string[]): string => {
  const shown = all.slice(0, MAX_NAMED);
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
};

const amount = (value: number): string => value.toLocaleString('en-US');

/** Whether one letter is missing, added or wrong, or two are swapped, or the words differ in case and marks alone. */
const isTypoOf = (sent: string, known: string): boolean => {
  const [one = '', other = ''] = [sent, known].map((word) =>
    word.toLowerCase().replace(/[^a-z0-9]/g, ''),
  );
  if (one === other) return true;
  const bytes = utf8(other);
  return (
    one.length >= 3 && editDistance(utf8(one), bytes, { from: 0, to: bytes.length, limit: 1 }) <= 1
  );
};
