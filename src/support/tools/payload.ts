import * as z from 'zod';
import { readRequest } from '../../contract/core/read-request.ts';
import { parseJson } from '../../platform/http/read-fields.ts';
import { type Delivery, DeliveryUnreadable } from './helpdesk-tool.ts';

/**
 * Reads the body of a delivery by a schema of what is needed.
 *
 * @param tool For the message.
 * @throws {DeliveryUnreadable} When it is not JSON in UTF-8, or does not match the schema. The message quotes nothing of it.
 */
export function readPayload<Schema extends z.ZodType>(
  { body }: Delivery,
  schema: Schema,
  tool: string,
): z.output<Schema> {
  let json: unknown;
  try {
    json = parseJson(body);
  } catch {
    throw new DeliveryUnreadable(`Cannot read a delivery of ${tool}: its body is not JSON`);
  }
  const read = readRequest(schema, json);
  if (read.ok) return read.value;
  throw new DeliveryUnreadable(
    `Cannot read a delivery of ${tool}: ${read.issues[0]?.path || 'the body'} is not as documented`,
  );
}

/**
 * An id of a helpdesk as text: letters, digits and `_ - : .`, without a leading dot, so that it can be part of a path; at most 128
 * characters.
 */
export const RecordId = z
  .union([z.number().int(), z.string()])
  .transform(String)
  .pipe(z.string().regex(/^[\w:-][\w.:-]{0,127}$/));

/** A numeric id in a template that the admin wrote: leading zeros do not make it another id. */
export const TemplateId = RecordId.transform((id) =>
  /^\d+$/.test(id) ? id.replace(/^0+(?=\d)/, '') : id,
);

/** An id that may be missing or unusable. */
export const optionalId = RecordId.nullish()
  .catch(undefined)
  .transform((id) => id ?? undefined);

/** An object that may be missing or of another form. */
export function optionalObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).nullish().catch(undefined);
}

/** Custom fields by name. */
export const optionalFields = z
  .record(z.string(), z.unknown())
  .nullish()
  .catch(undefined)
  .transform((fields) => fields ?? undefined);

/** Header fields of a mail by name, as text or a list of texts: at most 100 of 1,000 characters each. Others are omitted. */
export const mailHeaders = z
  .record(z.string(), z.unknown())
  .nullish()
  .catch(undefined)
  .transform((fields) => {
    if (fields === null || fields === undefined) return undefined;
    const entries = Object.entries(fields).flatMap(([name, value]): [string, string][] => {
      const text = Array.isArray(value)
        ? value.filter((each) => typeof each === 'string').join(', ')
        : value;
      if (typeof text !== 'string' || name.length > 100 || name === '__proto__') return [];
      return [[name, text.slice(0, 1000).toWellFormed()]];
    });
    return Object.fromEntries(entries.slice(0, 100));
  });

/** A list that may be missing; at most `maxItems`, without those that cannot be read. */
export function listOf<Schema extends z.ZodType>(item: Schema, maxItems: number) {
  return itemsOf(item, maxItems)
    .nullish()
    .catch(undefined)
    .transform((items) => items ?? []);
}

/** The same for a list that must be there: a ticket without its list would look like one without our note. */
export function itemsOf<Schema extends z.ZodType>(item: Schema, maxItems: number) {
  return z.array(z.unknown()).transform((items) =>
    items.slice(0, maxItems).flatMap((one): z.output<Schema>[] => {
      const read = readRequest(item, one);
      return read.ok ? [read.value] : [];
    }),
  );
}

/** In bodies that we send ids are numbers, unless they are too long for one. */
export function numberOf(id: string): number | string {
  return /^\d{1,15}$/.test(id) ? Number(id) : id;
}

/** Names of files, from the given member of each. */
export function fileNames(member: string) {
  return listOf(
    z
      .looseObject({})
      .transform((file) => file[member])
      .pipe(z.string().min(1).max(2048)),
    20,
  );
}
