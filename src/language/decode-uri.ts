/** A part of an address without percent signs; as it is when they encode no text. */
export function decodeUri(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
