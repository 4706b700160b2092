import { SettingRefused } from '../runtime/service-address.ts';

/** As many as were measured to hold (docs/memory.md). */
const DEFAULTS = { embedded: 10_000, upstash: 50_000 };
const MOST = 10_000_000;

/**
 * How many memories a workspace may have: as the variable says, or as many as the back end holds.
 *
 * @throws {SettingRefused} For anything but a whole number from 1 to 10,000,000.
 */
export const readMaxMemories = (text = '', backEnd: keyof typeof DEFAULTS): number => {
  if (text.trim() === '') return DEFAULTS[backEnd];
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MOST) return count;
  throw new SettingRefused('Cannot use MAX_MEMORIES: it is not a whole number from 1 to 10,000,000');
};
