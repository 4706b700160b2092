/** Remembers links whose signature has been verified, so that siblings of one chain cost one signature each. */
export interface LinkCache {
  /** `linkHash` is over the full link, signature included, so that no other signature can hide behind it. */
  has(directoryVersion: string, linkHash: string): boolean;
  add(directoryVersion: string, linkHash: string): void;
}

/** At most `limit` links, the least recently used go first; all go when the directory changes. */
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
