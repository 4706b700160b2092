/** Where a page of gaps ended: the count and the id of its last. */
export interface GapCursor {
  count: number;
  id: string;
}

export const gapCursorText = ({ count, id }: GapCursor): string => `${count}.${id}`;

/** Undefined for what `gapCursorText` did not write. */
export const readGapCursor = (text: string): GapCursor | undefined => {
  const [, count = '', id = ''] = /^(\d{1,15})\.([\w-]{1,100})$/.exec(text) ?? [];
  return id === '' ? undefined : { count: Number(count), id };
};
