/** Whether a directory of this environment may name the host: a public name, or in development also localhost. */
export const isUsableHost = (host: string, env: string): boolean =>
  isPublicName(host) || (env === 'development' && LOOPBACK.test(host));

/** The origin of a host: HTTPS, except for localhost, which only a development directory may name. */
export const originOfHost = (host: string): string => (LOOPBACK.test(host) ? `http://${host}` : `https://${host}`);

const LOOPBACK = /^(?:localhost|127\.0\.0\.1):\d{1,5}$/;

/** At least two labels, the last one not a number: neither an IP address nor a name of a local network. Without a port, which is 443. */
export const isPublicName = (host: string): boolean =>
  host.length <= 253 &&
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(host) &&
  !/\.(?:internal|local|localhost|home|lan|arpa|test|invalid|example|onion)$/.test(host);
