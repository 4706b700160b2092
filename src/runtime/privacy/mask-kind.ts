/** What can be masked, in order of precedence when two overlap: a wallet address that is a password is a key. */
export const MASK_KINDS = ['key', 'wallet', 'card', 'email', 'phone'] as const;
export type MaskKind = (typeof MASK_KINDS)[number];

/** Something to be masked: `[start, end)` in UTF-16 units of the text that was searched. */
export interface Found {
  kind: MaskKind;
  start: number;
  end: number;
}

/** All matches of a pattern; only the first group if there is one, which must end the match. */
export const findAll = (
  kind: MaskKind,
  text: string,
  pattern: RegExp,
  isMeant: (value: string, start: number) => boolean = () => true,
): Found[] => {
  const found: Found[] = [];
  for (const { 0: all, 1: value = all, index } of text.matchAll(pattern)) {
    const end = index + all.length;
    const start = end - value.length;
    if (isMeant(value, start)) found.push({ kind, start, end });
  }
  return found;
};
