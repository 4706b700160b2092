/**
 * An address that may stand behind a link: http or https, written out in full, or a plain relative one, which stays
 * relative, as its page knows what it belongs to. `undefined` for all others.
 */
export const webLink = (address: unknown): string | undefined => {
  if (typeof address !== 'string' || address.length > MAX_LENGTH) return undefined;
  if (!/^https?:\/\//i.test(address)) return PLAIN_RELATIVE.test(address) ? address : undefined;
  if (!URL.canParse(address)) return undefined;
  const { href } = new URL(address);
  return href.length <= MAX_LENGTH ? href : undefined;
};

const MAX_LENGTH = 2048;
/** No scheme, no host, and nothing that has a meaning in Markdown or HTML. */
const PLAIN_RELATIVE = /^(?!\/\/)[\w.~/%+,@-]+(?:[?#][\w.~/%+,@=#?-]*)?$/;
