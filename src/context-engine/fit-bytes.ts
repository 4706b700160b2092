import type { ContextTemplate } from '../contract/context-engine.ts';
import type { SearchResult } from '../contract/memory.ts';
import { renderMemory, withMetadata } from './templates.ts';

/**
 * The first memories that, as JSON, have room with the text that is made of them, without what they are related to.
 *
 * @param maxBytes Of both; for a memory comes what a preview says of it.
 */
export const fitBytes = (
  memories: readonly SearchResult[],
  template: ContextTemplate,
  maxBytes: number,
): SearchResult[] => {
  const { header = '', footer = '', separator } = template;
  const shown = withMetadata(template, undefined);
  let left = maxBytes - AROUND_BYTES - jsonBytes(header + footer);
  const end = memories.findIndex((result) => {
    const { relationships: _, ...bare } = result;
    left -= jsonBytes(bare) + jsonBytes(separator + renderMemory(shown, result)) + OF_PREVIEW_BYTES;
    return left < 0;
  });
  return end === -1 ? [...memories] : memories.slice(0, end);
};

/** Names, numbers and brackets of the result. */
const AROUND_BYTES = 4096;
/** The id twice, each at most twice as long as JSON, and a score. */
const OF_PREVIEW_BYTES = 600;

const encoder = new TextEncoder();
const jsonBytes = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;
