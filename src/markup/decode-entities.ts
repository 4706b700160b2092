import { characterEntitiesHtml4 } from 'character-entities-html4';
import keyboardEntities from './keyboard-entities.json' with { type: 'json' };

const KEYBOARD: Readonly<Record<string, string>> = keyboardEntities;

/**
 * Decodes character references: numeric ones, and the names of HTML 4 and of keyboard characters. The remaining 1,800 or
 * so names of the HTML Standard (13.5), mostly mathematical symbols, are left as they are. A control character becomes a
 * space, an invalid number U+FFFD.
 *
 * @param named Text of a named reference; `undefined` leaves the reference as it is.
 */
export const decodeEntities = (text: string, named = namedCharacter): string =>
  text.includes('&')
    ? text.replace(REFERENCE, (reference: string, hex?: string, decimal?: string, name?: string, legacy?: string) => {
        if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
        if (decimal !== undefined) return characterOf(Number.parseInt(decimal, 10));
        return named(name ?? legacy ?? '') ?? reference;
      })
    : text;

/** Some names are valid without a semicolon, unless alphanumerics or `=` follow: `&copy=2` is part of an address. */
const REFERENCE =
  /&(?:#x([\da-f]{1,8});?|#(\d{1,8});?|([a-z][a-z\d]{1,31});|(amp|lt|gt|quot|nbsp|copy|reg)(?![\w=;]))/gi;

/** Numbers from 128 to 159 mean Windows-1252 characters (HTML Standard, 13.2.5.80). */
const characterOf = (code: number): string => {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  if (code >= 0x80 && code <= 0x9f) return new TextDecoder('windows-1252').decode(Uint8Array.of(code));
  if (code === 0x0a) return '\n';
  return code < 0x20 || code === 0x7f ? ' ' : String.fromCodePoint(code);
};

const namedCharacter = (name: string): string | undefined => {
  if (Object.hasOwn(KEYBOARD, name)) return KEYBOARD[name];
  return Object.hasOwn(characterEntitiesHtml4, name) ? characterEntitiesHtml4[name] : undefined;
};
