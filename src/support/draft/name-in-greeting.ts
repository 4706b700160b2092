import { isInjectionName } from '../../grounding/prompt-injection.ts';

/**
 * A customer's name as a greeting may say it. Whoever writes in chooses it, so that only what looks like a name is said back:
 * letters of any script, with the few signs that names have.
 *
 * @returns Undefined where a neutral greeting is better: no name, an address, markup, a sentence, an instruction, or what
 *   helpdesks put in its place.
 */
export const nameInGreeting = (name: string | undefined): string | undefined => {
  if (name === undefined || name.length > MAX_RAW) return undefined;
  const plain = name.normalize('NFC').replace(/\s+/g, ' ').replace(INVISIBLE, '').trim();
  if (plain === '' || plain.length > MAX_NAME || !NAME.test(plain)) return undefined;
  const words = plain.toLowerCase().split(' ');
  if (words.length > MAX_WORDS || words.some((word) => NO_NAMES.has(word))) return undefined;
  return isInjectionName(plain) ? undefined : plain;
};

const MAX_RAW = 200;
const MAX_NAME = 60;
const MAX_WORDS = 5;

const INVISIBLE = /[\p{Cc}\p{Cf}]+/gu;

/** "Ana", "José María O'Neill-Pérez", "J. R. Smith Jr.", "李明". */
const NAME = /^\p{L}[\p{L}\p{M}'’]*\.?(?:[ -][\p{L}\p{M}'’]+\.?)*$/u;

/** What stands there for somebody without a name, and words that make a sentence of it. */
const NO_NAMES: ReadonlySet<string> = new Set(
  (
    'customer visitor guest anonymous unknown user client contact none null undefined nobody name test admin administrator ' +
    'support team system assistant bot noreply no-reply email mail info sales billing ' +
    'please ignore send refund replace replacement money free click visit buy pay give write say reply answer forget the you your ' +
    'is are am was will must should and or not ' +
    'kunde gast unbekannt bitte client invité inconnu cliente invitado desconocido'
  ).split(' '),
);
