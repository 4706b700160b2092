import type { FrontMatter } from '../front-matter.ts';

/** What a document says. */
export interface DocumentText {
  /** Markdown. */
  text: string;
  /** Among the properties of the document. */
  title: string | undefined;
  /** What was left out or could not be read, a sentence each. */
  warnings?: string[];
  /** What its own fields say about it. */
  front?: FrontMatter;
  /** Further articles that it holds; `name` is unique among them, and ends their ids. */
  articles?: { name: string; title: string; text: string }[];
}

/** The document cannot be read; `message` says why, as it stands behind `not readable:`. */
export class NotReadable extends Error {
  override name = 'NotReadable';
}

const MAX_LISTED = 3;

/** `a, b, c and 2 more`. */
export function listed(names: Iterable<string>): string {
  const all = [...names];
  const more = all.length > MAX_LISTED ? ` and ${all.length - MAX_LISTED} more` : '';
  return `${all.slice(0, MAX_LISTED).join(', ')}${more}`;
}
