import * as z from 'zod';
import { unlessMissing } from './issue.ts';

/**
 * Where a reader finds something: an http or https address of at most 2,048 characters, absolute or relative to the
 * site that shows it. Other schemes (`javascript:`, `data:`, `file:`) are refused, since links end up in pages.
 */
export const Link = z.string().min(1).max(2048).refine(isWebLink, 'is not a web address');
export type Link = z.infer<typeof Link>;

/** An absolute http or https address, at most 2,048 characters. */
export const WebUrl = z
  .url({ protocol: /^https?$/, error: unlessMissing('is not an absolute http or https address') })
  .max(2048);
export type WebUrl = z.infer<typeof WebUrl>;

function isWebLink(link: string): boolean {
  const base = 'https://relative.invalid/';
  if (!URL.canParse(link, base)) return false;
  return /^https?:$/.test(new URL(link, base).protocol);
}
