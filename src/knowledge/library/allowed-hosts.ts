/** Hosts that a knowledge base may be read from. */
export interface AllowedHosts {
  /** `host` or `host:port`, as they stand in an address. */
  hosts: readonly string[];
  /** Allows plain http, IP addresses and local names such as `localhost`: development only. */
  allowsLocal: boolean;
}

/**
 * Checks an address before each fetch, redirects included (signed context 10.1): on the list, https on its default port, a public name, no
 * credentials.
 *
 * @returns What is wrong with it, to follow the words `the address`; `undefined` if it is allowed.
 */
export const addressProblem = (url: URL, { hosts, allowsLocal }: AllowedHosts): string | undefined => {
  if (url.username !== '' || url.password !== '') return 'holds credentials';
  if (!hosts.includes(url.host)) return 'is of a host that is not allowed';
  if (url.protocol !== 'https:' && !(allowsLocal && url.protocol === 'http:')) return 'is not https';
  if (allowsLocal) return undefined;
  if (url.port !== '') return 'has a port';
  return isPublicName(url.hostname) ? undefined : 'is not of a public name';
};

/** A name with a dot that is not an IP address and not in a private network. */
const isPublicName = (name: string): boolean =>
  name.includes('.') &&
  !name.startsWith('[') &&
  !/^[\d.]+$/.test(name) &&
  !/\.(?:internal|local|localhost)\.?$/.test(name);
