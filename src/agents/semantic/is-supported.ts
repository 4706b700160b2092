import { type Grounds, groundingProblems, prepareGrounds } from '../../grounding/literals/check-grounding.ts';
import { type PreparedSource, prepareSource } from '../../grounding/support/prepare-source.ts';
import { checkSupport, SUPPORTED_FROM } from '../../grounding/support-check.ts';
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
 * citation, or with one of no document, does not. What a navigator's model states has to pass the same two checks; a number
 * or name that the document lacks is never passed here, however little else speaks against the sentence.
 */
export const isSupported = (summary: string, documents: readonly SourceText[]): boolean => {
  const known = documents.map(({ heading, text }) => ({
    source: prepareSource({ text: tablesAsLines(text), title: heading }),
    grounds: prepareGrounds([{ text, headings: heading.split('\n') }]),
  }));
  const sentences = citedSentences(summary);
  return (
    sentences.length > 0 &&
    !ADDRESSED.test(summary) &&
    sentences.every(({ text, cited }) => cited.length > 0 && cited.every((number) => stands(text, known[number - 1])))
  );
};

const stands = (text: string, document: { source: PreparedSource; grounds: Grounds } | undefined): boolean => {
  if (document === undefined) return false;
  const { sentences } = checkSupport(text, [document.source]);
  return (
    sentences.length > 0 &&
    sentences.every(
      ({ probability, doubts }) =>
        probability >= SUPPORTED_FROM &&
        !doubts.some(({ reason }) => reason === 'number-not-in-source' || reason === 'name-not-in-source'),
    ) &&
    groundingProblems(text, document.grounds).length === 0
  );
};

/**
 * What speaks to a model, or for one, is no summary, even where a document says it. Only the plainest forms: the list that the
 * navigator has weighs 7 KiB, and here the quotes stand where a summary is refused.
 */
const ADDRESSED = /\b(?:ignore|disregard|forget)\b[^.\n]{0,40}\b(?:instructions?|prompts?)\b|\byou are now\b/i;
