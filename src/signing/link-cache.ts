/** Cache of links whose signature has been verified, so that sibling calls of one chain cost one verification each. */
export interface LinkCache {
  /** `linkHash` covers the full link including its signature, so that no other signature matches it. */
  has(directoryVersion: string, linkHash: string): boolean;
  add(directoryVersion: string, linkHash: string): void;
}

/** Holds at most `limit` links, evicting the least recently used; cleared when the directory changes. */
export const linkCache = (limit = 512): LinkCache => {
  const links = new Set<string>();
  let version = '';
  const forgetOther = (current: string) => {
    if (current === version) return;
    links.clear();
    version = current;
  };
  return {
    has: (current, linkHash) => {
      forgetOther(current);
      if (!links.delete(linkHash)) return false;
      links.add(linkHash);
      return true;
    },
    add: (current, linkHash) => {
      forgetOther(current);
      links.delete(linkHash);
      links.add(linkHash);
      if (links.size > limit) links.delete(links.values().next().value ?? '');
    },
  };
};
