import { randomHex } from '../../runtime/digest.ts';

/** So that markers are found in a text without knowing them. */
const PREFIX = 'cnote';
const MARKER = /cnote[0-9a-f]{20}/g;

/** A marker that nobody can guess: a customer who writes one cannot make us believe that a note is there. 25 characters. */
export const newMarker = (): string => PREFIX + randomHex(10);

/** What looks like a marker in a text, the first hundred. */
export const markersIn = (text: string): string[] =>
  text.includes(PREFIX) ? [...new Set(text.match(MARKER) ?? [])].slice(0, 100) : [];
