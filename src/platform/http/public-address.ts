/**
 * Whether a customer can open an address: a web page under a public name. False for local and private addresses, and for those of the knowledge base
 * API (`/api/kb/…`), which requires a key.
 */
export function isPublicAddress(url: string): boolean {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  const { hostname, pathname, username } = new URL(url);
  return username === '' && isPublicName(hostname) && !/^\/api\/kb(?:\/|$)/i.test(pathname);
}

/** Whether a directory of this environment may name the host: a public name, or in development also localhost. */
export function isUsableHost(host: string, env: string): boolean {
  return isPublicName(host) || (env === 'development' && LOOPBACK.test(host));
}

/** The origin of a host: HTTPS, except for localhost, which only a development directory may name. */
export function originOfHost(host: string): string {
  return LOOPBACK.test(host) ? `http://${host}` : `https://${host}`;
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1):\d{1,5}$/;

/** At least two labels, the last one not a number: neither an IP address nor a name of a local network. Without a port, which is 443. */
const isPublicName = (host: string): boolean =>
  host.length <= 253 &&
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(host) &&
  !/\.(?:internal|local|localhost|home|lan|arpa|test|invalid|example|onion)$/.test(host);

/**
 * The address of a service that receives secrets: https and a public host; in development also localhost, over http or https. Without a
 * trailing slash; or why secrets must not be sent there.
 */
export function addressProblem(
  text: string,
  { isLocal, query }: { isLocal: boolean; query?: RegExp | undefined },
): { address: string; problem?: undefined } | { problem: string } {
  const url = URL.canParse(text) && text.length <= MAX_LENGTH ? new URL(text) : undefined;
  const isOwnMachine = isLocal && url !== undefined && isOwn(url);
  if (url === undefined || (url.protocol !== 'https:' && !isOwnMachine))
    return { problem: 'it is not an https address' };
  if (!isPublicName(url.hostname) && !isOwnMachine)
    return { problem: 'it does not name a public host' };
  if (!isOwnMachine && url.port !== '' && Number(url.port) < FIRST_UNPRIVILEGED_PORT)
    return { problem: 'its port is one of another service than the web' };
  if (url.username !== '' || url.password !== '') return { problem: 'it holds credentials' };
  const isQueryAllowed = url.search === '' || query?.test(url.search) === true;
  if (!isQueryAllowed || url.hash !== '') return { problem: 'it has a query or a fragment' };
  return { address: `${url.origin}${url.pathname}`.replace(/\/+$/, '') + url.search };
}

/** Below it stand services such as mail and SSH; 443 is the default, which an address does not name. */
const FIRST_UNPRIVILEGED_PORT = 1024;

/** Whether an address is a loopback address. */
export function isOwnAddress(text: string): boolean {
  return URL.canParse(text) && isOwn(new URL(text));
}

const isOwn = ({ protocol, hostname }: URL): boolean =>
  /^https?:$/.test(protocol) && LOOPBACK_NAMES.has(hostname);

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);
const MAX_LENGTH = 2048;
