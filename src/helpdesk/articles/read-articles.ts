import * as z from 'zod';
import { readAs } from '../../contract/issue.ts';
import type { SourceArticle, UnreadableArticle } from './article-source.ts';
import { SourceFailed } from './source-failed.ts';

/** An id of an article: it becomes part of a path, and of ours. */
export const ArticleId = z
  .union([z.number().int(), z.string()])
  .transform(String)
  .pipe(z.string().regex(/^[\w-]{1,100}$/));

/** One that the library takes for too long tells which article it is. */
const MAX_BODY = 500_001;
export const ArticleBody = z
  .string()
  .nullish()
  .transform((body) => (body ?? '').slice(0, MAX_BODY));

export const ArticleTitle = z
  .string()
  .nullish()
  .transform((title) => (title ?? '').slice(0, 1000));

/** `en`, `en-us`, `zh-Hant-TW`. */
export const Locale = z.string().regex(/^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/);

/** Labels that are no texts are left out. */
export const Labels = z
  .array(z.unknown())
  .nullish()
  .catch(undefined)
  .transform((labels) => (labels ?? []).filter((label) => typeof label === 'string').slice(0, 100));

/** Seconds since 1970 -> milliseconds. */
export const Seconds = z
  .number()
  .min(0)
  .max(1e11)
  .nullish()
  .catch(undefined)
  .transform((seconds) => (typeof seconds === 'number' ? seconds * 1000 : undefined));

/** An ISO time -> milliseconds since 1970. */
export const Moment = z
  .string()
  .nullish()
  .catch(undefined)
  .transform((text) => {
    const time = Date.parse(text ?? '');
    return Number.isNaN(time) ? undefined : time;
  });

/** An address that may be missing; whether it is one the library sees. */
export const Address = z
  .string()
  .max(2048)
  .nullish()
  .catch(undefined)
  .transform((url) => url ?? undefined);

/** A list of which each member is read on its own. */
export const List = z.array(z.unknown()).max(10_000);

/**
 * Reads a list member by member: what cannot be read stays in it by its id, since an article that is left out would be taken
 * for one that is gone.
 *
 * @param idsOf What else its translations would be called; the id alone when absent.
 */
export const readEach = <Schema extends z.ZodType>(
  members: readonly unknown[],
  schema: Schema,
  {
    take,
    idsOf = (id) => [id],
  }: {
    take: (member: z.output<Schema>) => readonly (SourceArticle | UnreadableArticle)[];
    idsOf?: (id: string, member: unknown) => readonly string[];
  },
): (SourceArticle | UnreadableArticle)[] =>
  members.flatMap((member): (SourceArticle | UnreadableArticle)[] => {
    const read = readAs(schema, member);
    if (read.ok) return [...take(read.value)];
    const id = readAs(z.object({ id: ArticleId }), member);
    if (!id.ok) return [{ unreadableId: undefined }];
    return idsOf(id.value.id, member).map((unreadableId) => ({ unreadableId }));
  });

/** Where a pass stands. Throws `SourceFailed` when it is not one of ours. */
export const positionIn = <Schema extends z.ZodType>(
  position: unknown,
  schema: Schema,
): z.output<Schema> | undefined => {
  if (position === undefined) return undefined;
  const read = readAs(schema, position);
  if (!read.ok) throw new SourceFailed('INVALID_QUERY', 'the cursor is not one of ours');
  return read.value;
};

export const isSince = (updatedAtMs: number | undefined, sinceMs: number | undefined): boolean =>
  sinceMs === undefined || updatedAtMs === undefined || updatedAtMs >= sinceMs;
