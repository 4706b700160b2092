import type { Target } from '../../runtime/signed-client.ts';
import type { Identity } from '../../signing/identity.ts';
import { CONTEXT_HEADER } from '../../signing/limits.ts';
import { originate } from '../../signing/request-context.ts';
import { mintContext } from '../../signing/sign-link.ts';

/**
 * A `fetch` through a service binding in the library's own name: signed, read-only, for one workspace. The receipt is not checked, since the binding
 * leads to that function only.
 */
export const boundFetch =
  (target: Target, { workspace, identity }: { workspace: string; identity: () => Promise<Identity> }): typeof fetch =>
  async (input, init) => {
    const { self, signer } = await identity();
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const now = Date.now();
    const { token } = await mintContext(
      originate({ self, subject: `svc:${self}`, workspace, authentication: 'none', capabilities: ['kb:read'], now }),
      { signer, aud: 'sources', op: `GET ${pathname}${search}`, body: new Uint8Array(), now },
    );
    request.headers.set(CONTEXT_HEADER, token);
    return target.fetch(request);
  };
