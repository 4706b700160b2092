import { covers } from '../capabilities.ts';
import { MAX_CAPABILITIES } from '../limits.ts';
import { CAPABILITY } from '../link-claims.ts';

/**
 * What of a context's capabilities goes along with a question: those that read. A question may hold untrusted text, so
 * whoever gets it can neither write nor send anything out in the user's name (signed context 10.2, taint rule). A
 * capability that stands for many becomes those of them that read. `undefined` when nothing has to go, so that the
 * link need not repeat the list.
 */
export const readingCapabilities = (held: readonly string[]): readonly string[] | undefined => {
  if (held.every(onlyReads)) return undefined;
  const kept = held.flatMap((capability) => (onlyReads(capability) ? [capability] : readingPartOf(capability)));
  return [...new Set(kept)].filter((capability) => CAPABILITY.test(capability)).slice(0, MAX_CAPABILITIES);
};

/** Neither a star, behind which a write may stand, nor a write or a way out itself. */
const onlyReads = (capability: string): boolean =>
  !capability.endsWith('*') &&
  !capability.endsWith(':write') &&
  !/^(?:webhook(?::|$)|tool:web(?::|$))/.test(capability);

const readingPartOf = (capability: string): string[] => {
  if (!capability.endsWith('*') || /^(?:webhook|tool):/.test(capability)) return [];
  const named = READING.filter((reading) => covers([capability], reading));
  return capability === '*' ? named : [`${capability.slice(0, -2)}:read`, ...named];
};

/** The capabilities of the house that read (design, section 8). */
const READING = ['kb:read', 'memory:read', 'sql:read', 'web:search', 'support:analyze'];
