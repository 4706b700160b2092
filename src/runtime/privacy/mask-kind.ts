/** What can be masked, in the order in which it counts where two overlap: a wallet address that is a password is a key. */
export const MASK_KINDS = ['key', 'wallet', 'card', 'email', 'phone'] as const;
export type MaskKind = (typeof MASK_KINDS)[number];

/** Something to be masked: `[start, end)` in UTF-16 units of the text that was searched. */
export interface Found {
  kind: MaskKind;
  start: number;
  end: number;
}
