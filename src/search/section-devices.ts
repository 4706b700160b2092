import { oncePer } from '../runtime/once-per.ts';
import { devicesNamedIn } from './devices-named-in.ts';
import type { Edition } from './open-edition.ts';

/** So many sections of an edition are remembered; then all are forgotten. */
const REMEMBERED = 2000;

const remembered = oncePer((_edition: Edition) => new Map<number, readonly string[]>());

/**
 * Devices that a chunk's innermost heading with a device in it names: within an article on several, a section is about
 * its own. Empty where no heading names one.
 */
export const sectionDevices = (edition: Edition, chunk: number): readonly string[] => {
  const known = remembered(edition);
  const found = known.get(chunk);
  if (found !== undefined) return found;
  if (known.size >= REMEMBERED) known.clear();
  const devices = readDevices(edition, chunk);
  known.set(chunk, devices);
  return devices;
};

const readDevices = (edition: Edition, chunk: number): readonly string[] => {
  for (const heading of edition.chunk(chunk).headingPath.toReversed()) {
    const named = devicesNamedIn(heading, edition.devices());
    if (named.length > 0) return named;
  }
  return [];
};
