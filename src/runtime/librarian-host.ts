/** Whether a directory of this environment may name the host: a public name, or in development also this machine. */
export const isUsableHost = (host: string, env: string): boolean =>
  isPublicName(host) || (env === 'development' && LOOPBACK.test(host));

/** Where requests to a host go: HTTPS, but for this machine itself, which only a directory of development may name. */
export const originOfHost = (host: string): string => (LOOPBACK.test(host) ? `http://${host}` : `https://${host}`);

const LOOPBACK = /^(?:localhost|127\.0\.0\.1):\d{1,5}$/;

/** Two labels at least, the last one no number: neither an address nor a name that only one network knows. Without a port, which is 443. */
export const isPublicName = (host: string): boolean =>
  host.length <= 253 &&
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(host) &&
  !/\.(?:internal|local|localhost|home|lan|arpa|test|invalid|example|onion)$/.test(host);
