import { isPublicName } from '../runtime/librarian-host.ts';

/**
 * Whether a customer can open an address: a page of the web under a public name. Addresses of this machine or of a private network are
 * none, and neither are those of the knowledge base API (`/api/kb/…`), which asks for a key.
 */
export const isPublicAddress = (url: string): boolean => {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  const { hostname, pathname, username } = new URL(url);
  return username === '' && isPublicName(hostname) && !/^\/api\/kb(?:\/|$)/i.test(pathname);
};
