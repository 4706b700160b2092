/**
 * Runs locally between the functions and the network. On Cloudflare a name never leads into a private network; here it could lead to this machine
 * or the network that it is in. So what counts is the address that is connected to, as resolved for this connection.
 */

interface Network {
  fetch(request: Request): Promise<Response>;
}

interface Env {
  /** Connects to public addresses only. */
  PUBLIC: Network;
  /** Hosts that a person has named, and that may be anywhere, separated by commas: `kb.test:8080`. */
  PRIVATE_HOSTS: string;
}

export default {
  fetch: async (request: Request, { PUBLIC, PRIVATE_HOSTS }: Env): Promise<Response> => {
    const { hostname, host } = new URL(request.url);
    // An address of this machine that says so was configured: settings are checked for it, and nothing else leads here.
    if (LOOPBACK.has(hostname)) return fetch(request);
    const named = PRIVATE_HOSTS.split(',');
    if (named.includes(host) || named.includes(hostname)) return fetch(request);
    try {
      return await PUBLIC.fetch(request);
    } catch (cause) {
      // The runtime hides why it did not connect.
      if (!(cause instanceof Error) || !cause.message.startsWith('internal error')) throw cause;
      throw new Error(
        `the name ${hostname} leads nowhere, or to an address of this machine or a private network, which PRIVATE_HOSTS=${host} allows`,
        { cause },
      );
    }
  },
};

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
