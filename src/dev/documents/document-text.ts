/** What a document says. */
export interface DocumentText {
  /** Markdown. */
  text: string;
  /** Among the properties of the document. */
  title: string | undefined;
}

/** The document cannot be read; `message` says why, as it stands behind `not readable:`. */
export class NotReadable extends Error {
  override name = 'NotReadable';
}
