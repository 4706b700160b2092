import * as z from 'zod';
import { unlessMissing } from './error-info.ts';

/** A librarian's id in URLs, delegation chains and signed links. 1 to 48 characters. */
export const LibrarianId = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,47}$/,
    'is not a librarian id: 1 to 48 of a-z, 0-9, dot, underscore, hyphen',
  );
export type LibrarianId = z.infer<typeof LibrarianId>;

/** The tenant that knowledge and memories belong to. `default` unless configured. 1 to 64 characters. */
export const WorkspaceId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    'is not a workspace id: 1 to 64 letters, digits, underscores, hyphens',
  );
export type WorkspaceId = z.infer<typeof WorkspaceId>;

/** An id of a memory or a conversation: 1 to 128 visible characters. */
export const MemoryId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'is not an id: 1 to 128 visible ASCII characters');
export type MemoryId = z.infer<typeof MemoryId>;

/**
 * A capability, from general to specific: `kb:read`, `sql:read`; `kb:*` covers everything below `kb`.
 *
 * @example
 * Capability.parse('kb:read');
 * Capability.parse('kb:*');
 */
export const Capability = z
  .string()
  .max(64)
  .regex(/^[a-z0-9_-]+(?::[a-z0-9_-]+)*(?::\*)?$|^\*$/, 'is not a capability such as kb:read');
export type Capability = z.infer<typeof Capability>;

/** An audience of articles: a group of people who may read them. 1 to 64 characters. */
export const Audience = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,63}$/,
    'is not an audience: 1 to 64 of a-z, 0-9, dot, underscore, hyphen',
  );
export type Audience = z.infer<typeof Audience>;

/** Who may read an article: whoever holds one of these audiences. Leave it out for everybody of the workspace. */
export const Audiences = z.array(Audience).min(1, 'is empty: leave it out for everybody').max(20);
export type Audiences = z.infer<typeof Audiences>;

/** Audiences that somebody holds; `*` holds all. `none` cannot be held: an article for it is read by those who read everything. */
export const HeldAudiences = z
  .array(
    z
      .string()
      .max(64)
      .regex(
        /^(?!none$)(?:[a-z0-9][a-z0-9._-]{0,63}|\*)$/,
        'is not an audience such as staff, nor *',
      ),
  )
  .max(20);
export type HeldAudiences = z.infer<typeof HeldAudiences>;

/**
 * An ISO 8601 timestamp with an offset or `Z`: `2024-12-15T10:00:00Z`.
 *
 * @example
 * Timestamp.parse('2026-11-30T14:07:03Z');
 * @see https://www.rfc-editor.org/rfc/rfc3339
 */
export const Timestamp = z.iso
  .datetime({ offset: true, error: unlessMissing('is not a moment such as 2024-12-15T10:00:00Z') })
  .max(40);
export type Timestamp = z.infer<typeof Timestamp>;

/** A date or a timestamp: `2024-01-14` (midnight UTC) or `2024-01-14T10:00:00Z`. */
export const DateOrTimestamp = z.union([z.iso.date(), z.iso.datetime({ offset: true }).max(40)], {
  error: unlessMissing('is not a date such as 2024-01-14 or a moment such as 2024-01-14T10:00:00Z'),
});
export type DateOrTimestamp = z.infer<typeof DateOrTimestamp>;

/**
 * An http or https link of at most 2,048 characters, absolute or relative to the site that shows it. Other schemes (`javascript:`,
 * `data:`, `file:`) are refused, since links end up in pages.
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

/** Maximum length of a question, in UTF-16 units after trimming. */
export const QUERY_MAX_LENGTH = 4000;

/** A question: trimmed, then 1 to 4,000 characters, at least one of them visible. */
export const Query = z
  .string()
  .trim()
  .min(1, { error: 'is empty', abort: true })
  .max(QUERY_MAX_LENGTH, `is longer than ${QUERY_MAX_LENGTH} characters`)
  .regex(/[^\s\p{Cc}\p{Cf}\p{Cs}]/u, 'has no visible character');
export type Query = z.infer<typeof Query>;

/** Names of external librarians by their ids, as `metadata.reporters` of a Response and the event `routing` have them. */
export const Reporters = z.record(z.string(), z.string().min(1).max(100));
