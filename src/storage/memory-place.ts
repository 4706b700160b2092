import { sha256 } from '@noble/hashes/sha2.js';
import type { Memory, Relationship } from '../contract/memory.ts';

/**
 * Where a memory stands among those of its workspace, as a text of the alphabet `A-Za-z0-9_:-`: in ascending order the oldest
 * come first. Behind the time stand confidence and type, so that what is looked through need not be read.
 */
export const placeOf = ({ id, type, confidence, created_at }: Memory): string =>
  [timeOf(Date.parse(created_at)), confidenceOf(Math.ceil(confidence * PARTS)), shortHash(type), encodeText(id)].join(
    ':',
  );

/** A moment in milliseconds since 1970, so that texts stand in its order: 15 digits for the years 0 to 9999. */
export const timeOf = (ms: number): string =>
  String(Math.min(Math.max(ms + YEAR_ZERO_MS, 0), LAST_MS)).padStart(TIME_DIGITS, '0');

/** Confidence in millionths, so that texts stand in its order. Places round it up, limits down: too much is found, never too little. */
export const confidenceOf = (parts: number): string => String(parts).padStart(7, '0');

export const PARTS = 1_000_000;
const TIME_DIGITS = 15;
const LAST_MS = 10 ** TIME_DIGITS - 1;
const YEAR_ZERO_MS = 62_167_219_200_000;

/** A relation as one text, in the order of time. */
export const relationPlaceOf = ({ from_memory_id, to_memory_id, type, created_at }: Relationship): string =>
  [
    timeOf(Date.parse(created_at)),
    encodeText(from_memory_id),
    encodeText(to_memory_id),
    encodeText(type),
    created_at,
  ].join('|');

export const relationOfPlace = (place: string): Relationship => {
  const [, from = '', to = '', type = '', createdAt = ''] = place.split('|');
  return {
    from_memory_id: decodeText(from),
    to_memory_id: decodeText(to),
    type: decodeText(type),
    created_at: createdAt,
  };
};

/** A text in the alphabet `A-Za-z0-9_-`, and back. An id of 128 characters becomes 171. */
export const encodeText = (text: string): string =>
  btoa(String.fromCharCode(...encoder.encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

export const decodeText = (encoded: string): string =>
  decoder.decode(
    Uint8Array.from(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0)),
  );

/** 64 bits of a text's SHA-256, as 11 characters of `A-Za-z0-9_-`: for what only has to be told apart, and is compared again. */
export const shortHash = (text: string): string => encodeBytes(sha256(encoder.encode(text)).subarray(0, 8));

/** 128 bits of it, as 22 characters: for the name of whose memories are listed and erased, where nobody may share it with another. */
export const nameHash = (name: string): string => encodeBytes(sha256(encoder.encode(name)).subarray(0, 16));

const encodeBytes = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const encoder = new TextEncoder();
const decoder = new TextDecoder();
