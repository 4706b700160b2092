import type * as z from 'zod';
import { readAs } from '../../contract/issue.ts';
import { type Delivery, DeliveryUnreadable } from '../helpdesk-tool.ts';
import { parseJson } from '../parse-json.ts';

/**
 * Reads the body of a delivery by a schema that names what is read.
 *
 * @param tool For the message.
 * @throws {DeliveryUnreadable} When it is no JSON in UTF-8, or not such a body. The message holds nothing of it.
 */
export const readPayload = <Schema extends z.ZodType>(
  { body }: Delivery,
  schema: Schema,
  tool: string,
): z.output<Schema> => {
  let json: unknown;
  try {
    json = parseJson(body);
  } catch {
    throw new DeliveryUnreadable(`Cannot read a delivery of ${tool}: its body is no JSON`);
  }
  const read = readAs(schema, json);
  if (read.ok) return read.value;
  const where = read.issues[0]?.path ?? '';
  throw new DeliveryUnreadable(
    `Cannot read a delivery of ${tool}: ${where === '' ? 'it' : where} is not as documented`,
  );
};

/** An id from a header or a body that is not needed for more than telling two deliveries apart; undefined when there is none. */
export const headerId = ({ headers }: Delivery, name: string): string | undefined => {
  const value = headers.get(name) ?? '';
  return /^[\w.:-]{1,128}$/.test(value) ? value : undefined;
};

/** The same, of a body that is as a rule read before. Never throws. */
export const payloadId = (delivery: Delivery, schema: z.ZodType<string | undefined>): string | undefined => {
  try {
    const read = readAs(schema, parseJson(delivery.body));
    return read.ok ? read.value : undefined;
  } catch {
    return undefined;
  }
};
