import { Readable } from 'node:stream';
import JSZip from 'jszip';
import { NotReadable } from './document-text.ts';
import { Enough, tryReadXml } from './read-xml.ts';

/** All parts that are read together, unpacked: a document of 500,000 characters has a tenth of it. */
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;
const MAX_PARTS = 5000;
/** How a file in the container of older Office formats begins; an encrypted document is one too. */
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0];

/** The XML of an Office document, by the names of its parts. */
export type OfficeParts = Map<string, string>;

/**
 * Unpacks the parts of an Office document that are read; images, embedded files and what its programs keep for themselves are not.
 *
 * @param kind `Word document`, for messages.
 * @param main The part that such a document has.
 * @param read Names of the parts that are read.
 * @throws {NotReadable} When it is encrypted, no such document, or unpacks to too much.
 */
export async function openOffice(
  bytes: Uint8Array,
  { kind, ending, main, read }: { kind: string; ending: string; main: string; read: RegExp },
): Promise<OfficeParts> {
  if (COMPOUND_FILE.every((byte, index) => bytes[index] === byte))
    throw new NotReadable(`it is encrypted, or no ${ending} file`);
  if (countParts(bytes) > MAX_PARTS) throw new NotReadable(`it has more than ${MAX_PARTS} parts`);
  const zip = await JSZip.loadAsync(bytes).catch(() => undefined);
  if (zip?.file(main) == null && zip?.file('[Content_Types].xml') == null)
    throw new NotReadable(`it is damaged or no ${kind}`);
  const parts: OfficeParts = new Map();
  let left = MAX_UNPACKED_BYTES;
  for (const part of Object.values(zip.files)) {
    if (part.dir || !(read.test(part.name) || part.name === PROPERTIES)) continue;
    const unpacked = await unpack(part, left);
    left -= unpacked.length;
    parts.set(part.name, new TextDecoder().decode(unpacked));
  }
  return parts;
}

/** Entries of the directory (APPNOTE 4.3.12), counted before the library makes an object of each. */
function countParts(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (
    let at = buffer.indexOf(ENTRY);
    at !== -1 && count <= MAX_PARTS;
    at = buffer.indexOf(ENTRY, at + 4)
  )
    count += 1;
  return count;
}

const ENTRY = Buffer.from('PK\x01\x02');

/** What a part says of its own size may be wrong: what comes out is counted. */
async function unpack(part: JSZip.JSZipObject, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The library's streams are of a Node before iteration.
  for await (const chunk of new Readable().wrap(part.nodeStream())) {
    length += (chunk as Buffer).length;
    if (length > maxBytes)
      throw new NotReadable(
        `its text unpacks to more than ${MAX_UNPACKED_BYTES / 1024 / 1024} MiB`,
      );
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

export const PROPERTIES = 'docProps/core.xml';
const MAX_TITLE = 1000;

/** The title among the properties of the document. */
export function titleOf(parts: OfficeParts): string | undefined {
  let isInTitle = false;
  let title: string | undefined;
  tryReadXml(parts.get(PROPERTIES) ?? '', {
    open: (name) => {
      isInTitle = name === 'title';
    },
    text: (text) => {
      if (isInTitle) title = ((title ?? '') + text).slice(0, MAX_TITLE);
    },
    close: (name) => {
      if (name === 'title') throw new Enough();
    },
  });
  return title;
}
