import { sha256 } from '@noble/hashes/sha2.js';
import type { Memory, Relationship } from '../contract/memory.ts';
import { decodeBase64url, encodeBase64url } from '../signing/base64url.ts';

/**
 * Sort key of a memory within its workspace, in the alphabet `A-Za-z0-9_:-`: ascending order is oldest first. Confidence and type follow
 * the time, so that a scan can filter by them without reading the memory.
 */
export const placeOf = ({ id, type, confidence, created_at }: Memory): string =>
  [timeOf(Date.parse(created_at)), confidenceOf(Math.ceil(confidence * PARTS)), shortHash(type), encodeText(id)].join(
    ':',
  );

/** Milliseconds since 1970 as a sortable string: 15 digits for the years 0 to 9999. */
export const timeOf = (ms: number): string =>
  String(Math.min(Math.max(ms + YEAR_ZERO_MS, 0), LAST_MS)).padStart(TIME_DIGITS, '0');

/** Confidence in millionths as a sortable string. Places round up and bounds round down, so that nothing that matches is missed. */
export const confidenceOf = (parts: number): string => String(parts).padStart(7, '0');

export const PARTS = 1_000_000;
const TIME_DIGITS = 15;
const LAST_MS = 10 ** TIME_DIGITS - 1;
const YEAR_ZERO_MS = 62_167_219_200_000;

/** A whole relation as one string that sorts by time. */
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

/** UTF-8 as base64url. An id of 128 characters becomes 171. */
export const encodeText = (text: string): string => encodeBase64url(encoder.encode(text));

export const decodeText = (encoded: string): string => decoder.decode(decodeBase64url(encoded));

/** 64 bits of SHA-256 as 11 characters of base64url, for values that are compared again once they are read. */
export const shortHash = (text: string): string => encodeBase64url(sha256(encoder.encode(text)).subarray(0, 8));

/** 128 bits of SHA-256 as 22 characters, for names whose memories are listed and erased: two names must never share one. */
export const nameHash = (name: string): string => encodeBase64url(sha256(encoder.encode(name)).subarray(0, 16));

const encoder = new TextEncoder();
const decoder = new TextDecoder();
