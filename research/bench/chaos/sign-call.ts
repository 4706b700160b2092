import { identityFrom } from '../../../src/platform/context/identity.ts';
import { originate } from '../../../src/platform/context/request-context.ts';
import { signedClient } from '../../../src/platform/context/signed-client.ts';

interface SignedCall {
  /** Id of the function. */
  to: string;
  /** Its own socket. */
  url: URL;
  method: string;
  path: string;
  body?: unknown;
  workspace: string;
  capabilities: readonly string[];
}

/** Calls a function of this machine as the gateway does, for any workspace. Throws when there is no answer. */
export async function signCall(call: SignedCall): Promise<{ status: number; json: unknown }> {
  const { to, url, method, path, body, workspace, capabilities } = call;
  const identity = await identityFrom({ ENVIRONMENT: 'development' }, 'gateway');
  const target = {
    fetch: async (request: Request) => {
      const text = await request.text();
      const init = {
        method: request.method,
        headers: request.headers,
        ...(text === '' ? {} : { body: text }),
      };
      const { pathname, search } = new URL(request.url);
      return fetch(new URL(pathname + search, url), init);
    },
  };
  const origin = {
    self: 'gateway',
    subject: 'user:local',
    authentication: 'key',
    workspace,
    capabilities,
  };
  const client = signedClient({ ...identity, targets: { [to]: target } });
  const answer = await client.call(originate({ ...origin, now: Date.now() }), {
    to,
    method,
    path,
    body,
  });
  if (!answer.ok) throw new Error(`Cannot call ${to}: ${answer.error.code}`);
  return { status: answer.status, json: answer.json() };
}
