import { SettingRefused } from '../runtime/service-address.ts';

const DEFAULT = 100_000;
const MOST = 10_000_000;

/**
 * How many memories a workspace may have, as the variable says.
 *
 * @throws {SettingRefused} For anything but a whole number from 1 to 10,000,000.
 */
export const readMaxMemories = (text = ''): number => {
  if (text.trim() === '') return DEFAULT;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MOST) return count;
  throw new SettingRefused('Cannot use MAX_MEMORIES: it is not a whole number from 1 to 10,000,000');
};
