import type * as z from 'zod';
import { readAs } from '../contract/error-info.ts';

/** What was stored as JSON by this version or an earlier one, such as a column; `undefined` when it is damaged or misses the schema. */
export const readStored = <T extends z.ZodType>(schema: T, text: string): z.output<T> | undefined => {
  const value = parsed(text);
  if (value === undefined) return undefined;
  const read = readAs(schema, value);
  return read.ok ? read.value : undefined;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
