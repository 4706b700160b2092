import * as z from 'zod';
import { readAs } from '../../contract/issue.ts';

/**
 * An id of a helpdesk as a text: letters, digits and `_ - : .`, not beginning with a dot, so that it may stand in a path;
 * at most 128 characters.
 */
export const DeskId = z
  .union([z.number().int(), z.string()])
  .transform(String)
  .pipe(z.string().regex(/^[\w:-][\w.:-]{0,127}$/));

/** A numeric id as an admin's template writes it: one with zeros before it is the same to the tool, and so it is to us. */
export const TemplateId = DeskId.transform((id) => (/^\d+$/.test(id) ? id.replace(/^0+(?=\d)/, '') : id));

/** What is missing, empty or of another type than documented is not there; what is longer is cut. */
export const optionalText = (maxLength: number) =>
  z
    .string()
    .transform((text) => text.slice(0, maxLength).toWellFormed())
    .nullish()
    .catch(undefined)
    .transform((text) => (text === null || text === '' ? undefined : text));

/** An id that may be missing or unusable. */
export const optionalId = DeskId.nullish()
  .catch(undefined)
  .transform((id) => id ?? undefined);

/** At most so many items of what stands beside; those that cannot be read are left out. */
export const listOf = <Schema extends z.ZodType>(item: Schema, maxItems: number) =>
  itemsOf(item, maxItems)
    .nullish()
    .catch(undefined)
    .transform((items) => items ?? []);

/**
 * The list that a reply is about: it must be there, since a list that is missing would read as one without our note. Items
 * without an id that can be read are left out.
 */
export const itemsOf = <Schema extends z.ZodType>(item: Schema, maxItems: number) =>
  z.array(z.unknown()).transform((items) =>
    items.slice(0, maxItems).flatMap((one): z.output<Schema>[] => {
      const read = readAs(item, one);
      return read.ok ? [read.value] : [];
    }),
  );

/** Ids are numbers in bodies that we send, unless they are too long for one. */
export const numberOf = (id: string): number | string => (/^\d{1,15}$/.test(id) ? Number(id) : id);

/** Names of files, from the member that tells them. */
export const fileNames = (member: string) =>
  listOf(
    z
      .looseObject({})
      .transform((file) => file[member])
      .pipe(z.string().min(1).max(2048)),
    20,
  );

/** A time of the ISO kind; without an offset it is read as UTC. Milliseconds since 1970. */
export const optionalTime = optionalText(64).transform((text) => (text === undefined ? undefined : timeOf(text)));

const timeOf = (text: string): number | undefined => {
  const iso = /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text) ? `${text}Z` : text;
  const time = Date.parse(iso);
  return Number.isNaN(time) ? undefined : time;
};

/** Seconds since 1970 -> milliseconds. */
export const optionalSeconds = z
  .number()
  .min(0)
  .max(1e11)
  .nullish()
  .catch(undefined)
  .transform((seconds) => (typeof seconds === 'number' ? Math.round(seconds * 1000) : undefined));
