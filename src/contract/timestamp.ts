import * as z from 'zod';
import { unlessMissing } from './issue.ts';

/** A moment, ISO 8601 with an offset or `Z`: `2024-12-15T10:00:00Z`. */
export const Timestamp = z.iso
  .datetime({ offset: true, error: unlessMissing('is not a moment such as 2024-12-15T10:00:00Z') })
  .max(40);
export type Timestamp = z.infer<typeof Timestamp>;

/** A day or a moment: `2024-01-14` (midnight UTC) or `2024-01-14T10:00:00Z`. */
export const DateOrTimestamp = z.union([z.iso.date(), z.iso.datetime({ offset: true }).max(40)], {
  error: unlessMissing('is not a date such as 2024-01-14 or a moment such as 2024-01-14T10:00:00Z'),
});
export type DateOrTimestamp = z.infer<typeof DateOrTimestamp>;
