import { isPublicName } from '../signing/librarian-host.ts';

/**
 * Whether a customer can open an address: a web page under a public name. False for local and private addresses, and for those of the knowledge base
 * API (`/api/kb/…`), which requires a key.
 */
export const isPublicAddress = (url: string): boolean => {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  const { hostname, pathname, username } = new URL(url);
  return username === '' && isPublicName(hostname) && !/^\/api\/kb(?:\/|$)/i.test(pathname);
};
