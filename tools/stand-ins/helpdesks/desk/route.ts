import type { LocalReply } from '../../server/local-server.ts';
import type { RecordedRequest } from '../../server/request-log.ts';
import { decoded } from './read-request.ts';

/** What answers requests of one form: `GET /api/v1/tickets/:id`. */
export type Routes = Readonly<
  Record<string, (request: RecordedRequest, parameters: string[]) => LocalReply>
>;

/**
 * The answer of the first route that a request has the form of; `undefined` without one. A part that begins with a colon stands
 * for any text without a slash, and is handed on.
 */
export function routed(routes: Routes, request: RecordedRequest): LocalReply | undefined {
  const parts = request.path.split('/');
  for (const [form, answer] of Object.entries(routes)) {
    const [method, path = ''] = form.split(' ');
    const formParts = path.split('/');
    if (method !== request.method || formParts.length !== parts.length) continue;
    if (!formParts.every((part, at) => part.startsWith(':') || part === parts[at])) continue;
    return answer(request, parts.filter((_, at) => formParts[at]?.startsWith(':')).map(decoded));
  }
  return undefined;
}
