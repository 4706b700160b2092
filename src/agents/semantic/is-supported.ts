import { type PreparedSource, prepareSource } from '../../knowledge/answers/support/prepare-source.ts';
import { checkSupport, SUPPORTED_FROM } from '../../knowledge/answers/support-check.ts';
import { tablesAsLines } from '../format/tables-as-lines.ts';
import { citedSentences } from './cited-sentences.ts';

/** What a summary may cite. */
export interface SourceText {
  /** Title and headings, which hold for all of the text. */
  heading: string;
  text: string;
}

/**
 * Whether every sentence of a summary stands on each document that it cites, `[1]` being the first. A sentence without a
 * citation, or with one of no document, does not. The support check judges the rest; a number or name that the document
 * lacks is never passed here, however little else speaks against the sentence.
 */
export const isSupported = (summary: string, documents: readonly SourceText[]): boolean => {
  const known = documents.map(({ heading, text }) => prepareSource({ text: tablesAsLines(text), title: heading }));
  const sentences = citedSentences(summary);
  return (
    sentences.length > 0 &&
    sentences.every(
      ({ text, cited }) =>
        cited.length > 0 &&
        cited.every((number) => stands(text, known[number - 1]) && hasAddresses(text, documents[number - 1])),
    )
  );
};

const stands = (text: string, document: PreparedSource | undefined): boolean => {
  if (document === undefined) return false;
  const { sentences } = checkSupport(text, [document]);
  return (
    sentences.length > 0 &&
    sentences.every(
      ({ probability, doubts }) =>
        probability >= SUPPORTED_FROM &&
        !doubts.some(({ reason }) => reason === 'number-not-in-source' || reason === 'name-not-in-source'),
    )
  );
};

/** An address is one word for a reader, and many for the check. */
const hasAddresses = (text: string, document: SourceText | undefined): boolean => {
  const source = `${document?.heading}\n${document?.text}`.toLowerCase();
  const addresses = text.toLowerCase().match(/\b(?:https?:\/\/|www\.)[^\s)\]]+/g) ?? [];
  return addresses.every((address) => source.includes(address.replace(/[.,;:!?]+$/, '')));
};
