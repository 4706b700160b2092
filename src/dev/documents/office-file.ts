import { Readable } from 'node:stream';
import { XMLParser } from 'fast-xml-parser';
import JSZip from 'jszip';
import { NotReadable } from './document-text.ts';

/** All parts of text together, unpacked: a document of 500,000 characters has a tenth of it. */
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;
const MAX_PARTS = 5000;
/** How a file in the container of older Office formats begins; an encrypted document is one too. */
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0];

/**
 * Opens an Office document, after unpacking its parts of text once to see how large they are.
 *
 * @param kind `Word document`, for messages.
 * @param main The part that such a document has.
 * @throws {NotReadable} When it is encrypted, no such document, or unpacks to too much.
 */
export const openOffice = async (
  bytes: Uint8Array,
  { kind, ending, main }: { kind: string; ending: string; main: string },
): Promise<JSZip> => {
  if (COMPOUND_FILE.every((byte, index) => bytes[index] === byte))
    throw new NotReadable(`it is encrypted, or no ${ending} file`);
  const zip = await JSZip.loadAsync(bytes).catch(() => undefined);
  if (zip?.file(main) == null && zip?.file('[Content_Types].xml') == null)
    throw new NotReadable(`it is damaged or no ${kind}`);
  await checkUnpackedSize(zip);
  return zip;
};

/** What the parts say of their own size may be wrong, so they are unpacked; images are not, they are never read. */
const checkUnpackedSize = async (zip: JSZip): Promise<void> => {
  const parts = Object.values(zip.files).filter(({ dir, name }) => !dir && /\.(?:xml|rels)$/i.test(name));
  if (Object.keys(zip.files).length > MAX_PARTS) throw new NotReadable(`it has more than ${MAX_PARTS} parts`);
  let unpacked = 0;
  for (const part of parts) {
    // The library's streams are of a Node before iteration.
    for await (const chunk of new Readable().wrap(part.nodeStream())) {
      unpacked += (chunk as Buffer).length;
      if (unpacked > MAX_UNPACKED_BYTES)
        throw new NotReadable(`its text unpacks to more than ${MAX_UNPACKED_BYTES / 1024 / 1024} MiB`);
    }
  }
};

/** The title among the properties of the document. */
export const titleOf = async (zip: JSZip): Promise<string | undefined> => {
  const xml = await zip.file('docProps/core.xml')?.async('string');
  if (xml === undefined) return undefined;
  const parser = new XMLParser({ removeNSPrefix: true, parseTagValue: false, processEntities: true });
  const { coreProperties } = parser.parse(xml) as { coreProperties?: { title?: unknown } }; // any XML: looked at below
  return typeof coreProperties?.title === 'string' ? coreProperties.title : undefined;
};
