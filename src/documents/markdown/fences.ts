const FENCE = /^[ \t]*(`{3,}|~{3,})/gm;

/**
 * The last fence of a part of an article or a reply when their number is odd; empty otherwise. Indented fences count, as a part of a list
 * may begin anywhere in it.
 */
export function unclosedFence(text: string): string {
  const fences = text.match(FENCE) ?? [];
  return fences.length % 2 === 1 ? (fences.at(-1) ?? '').trim() : '';
}

/** Closes an open fence, which would turn what follows into code. */
export function closeFence(text: string): string {
  const fence = unclosedFence(text);
  return fence === '' ? text : `${text}\n${fence}`;
}
