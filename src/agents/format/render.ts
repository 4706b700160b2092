import type { DisplayAttribution, DisplayBlock, DisplayModel } from '../../contract/display-model.ts';

export interface RenderOptions {
  /** Rows of a table and entries of a list that are shown, 1 to 50; 50 when absent. */
  rows?: number | undefined;
  /** Of the whole, in UTF-16 units; 64,000 when absent, 1,000 at least. */
  maxLength?: number | undefined;
}

/** How blocks become text of one kind. */
export interface Renderer {
  /** At most so long; `undefined` where it cannot be made to fit, empty where there is nothing to show. */
  block(block: DisplayBlock, bounds: { rows: number; length: number }): string | undefined;
  attribution(attribution: DisplayAttribution): string;
  /** What is said in place of the blocks for which there was no room. */
  omission(count: number): string;
}

/** The blocks one after the other as far as there is room, and where all of it comes from. */
export const render = (model: DisplayModel, renderer: Renderer, options: RenderOptions = {}): string => {
  const { rows = 50, maxLength = 64_000 } = options;
  const room = Math.max(1000, maxLength);
  const attribution = attributionWithin(room / 2, model, renderer);
  let left = room - attribution.length - ROOM_FOR_OMISSION;
  const parts: string[] = [];
  for (const [at, block] of model.blocks.entries()) {
    const part = renderer.block(block, { rows, length: left });
    if (part === undefined) {
      parts.push(renderer.omission(model.blocks.length - at));
      break;
    }
    parts.push(part);
    left -= part.length + 2;
  }
  return [...parts, attribution].filter((part) => part !== '').join('\n\n');
};

const ROOM_FOR_OMISSION = 100;

/** Without its details where they are too long. */
const attributionWithin = (length: number, { attribution }: DisplayModel, renderer: Renderer): string => {
  if (attribution === undefined) return '';
  const lines = [attribution, { ...attribution, details: [] }].map(renderer.attribution);
  return lines.find((line) => line.length <= length) ?? '';
};

/** Renders ever less of something until it fits: `count` of `all` entries, or `undefined` when not one does. */
export const fitting = (all: number, length: number, renderFirst: (count: number) => string): string | undefined => {
  for (let count = all; count >= 1; count = Math.floor(count / 2)) {
    const rendered = renderFirst(count);
    if (rendered.length <= length) return rendered;
  }
  return undefined;
};

/** "and 450 more rows"; empty where none is left out. */
export const moreOf = (left: number, what: string): string => (left > 0 ? `and ${left} more ${what}` : '');
