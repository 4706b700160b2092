import { randomHex } from '../../runtime/digest.ts';

/** A marker that nobody can guess: a customer who writes one cannot make us believe that a note is there. 25 characters. */
export const newMarker = (): string => `cnote${randomHex(10)}`;
