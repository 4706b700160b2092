import type * as z from 'zod';
import type { LocalReply } from '../server/local-server.ts';
import { refusal } from './refusal.ts';

export type ReadRequest<T> = { ok: true; value: T } | { ok: false; refused: LocalReply };

/** Reads a body as a schema has it, and refuses others as the service does: status 400, which member is wrong in `param`. */
export function readRequest<T extends z.ZodType>(
  schema: T,
  body: string,
): ReadRequest<z.output<T>> {
  const json = parse(body);
  if (json === undefined) {
    const problem =
      'We could not parse the JSON body of your request. (HINT: This likely means you are not using your HTTP library correctly.)';
    return { ok: false, refused: refusal(400, problem) };
  }
  const { success, data, error } = schema.safeParse(json);
  return success ? { ok: true, value: data } : { ok: false, refused: refusalOf(error, json) };
}

export function unknownModel(model: string): LocalReply {
  return refusal(404, `The model \`${model}\` does not exist or you do not have access to it.`, {
    code: 'model_not_found',
  });
}

const refusalOf = ({ issues }: z.ZodError, json: unknown): LocalReply => {
  const [issue] = issues;
  if (issue === undefined) return refusal(400, 'Invalid request.');
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
    return refusal(400, `Unrecognized request argument supplied: ${issue.keys.join(', ')}`);
  }
  const param = issue.path.join('.');
  if (issue.path.length === 1 && (json as Record<string, unknown>)[param] === undefined) {
    return refusal(400, `Missing required parameter: '${param}'.`, {
      param,
      code: 'missing_required_parameter',
    });
  }
  if (param === 'input') {
    const problem =
      "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.";
    return refusal(400, problem);
  }
  const isType = issue.code === 'invalid_type';
  const problem = `Invalid ${isType ? 'type' : 'value'} for '${param}': ${issue.message}.`;
  return refusal(400, problem, { param, code: isType ? 'invalid_type' : 'invalid_value' });
};

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};
