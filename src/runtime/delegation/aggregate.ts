import type { AnswerPart } from '../../contract/joined-answer.ts';
import { isUnsure, type LibrarianResponse } from '../../contract/response.ts';
import { errorInfo } from '../error-info-of.ts';
import { arrangeTopics, type Topic } from './aggregation/arrange-topics.ts';
import { combineConfidence, type Standing } from './aggregation/combine-confidence.ts';
import { composeJoined } from './aggregation/compose-joined.ts';
import { closestOf } from './aggregation/declined.ts';
import { type Dispute, findContradictions } from './aggregation/find-contradictions.ts';
import { fitParts } from './aggregation/fit-parts.ts';
import { hearBranches, type Voice } from './aggregation/hear-branches.ts';
import { joinFailures } from './aggregation/join-failures.ts';
import { mergeSources } from './aggregation/merge-sources.ts';
import { renumberCitations } from './aggregation/renumber-citations.ts';
import { readingOf } from './aggregation/statements-of.ts';
import type { Branch } from './branch.ts';

/** As many as `metadata.parts` can hold; a fan-out is at most 8. */
const MAX_BRANCHES = 16;

/**
 * Makes one Response of what several librarians answered (docs/aggregation.md). Pure, and never throws.
 *
 * - One branch: its response, unchanged.
 * - Several: their answers joined, with all sources, `metadata.parts` and the confidence of `combineConfidence`; `partial` when
 *   that is below 0.6, when a part is partial, or when a branch failed.
 * - None that answered: an error, the one that all have in common or DELEGATION_FAILED.
 *
 * @param branches In the order of the requests; at most 16 are read.
 */
export const aggregate = (branches: readonly Branch[]): LibrarianResponse => {
  const [only] = branches;
  if (only !== undefined && branches.length === 1) return only.response;
  const heard = hearBranches(branches.slice(0, MAX_BRANCHES));
  const { sources, places } = mergeSources(
    heard.map(({ text, response }) => (text === '' ? [] : (response.sources ?? []))),
  );
  const parts = heard.map((voice, place) => partOf(voice, places[place] ?? []));
  if (heard.every(({ text }) => text === '')) return failedTogether(heard, parts);
  const voices = heard.map((voice, place) => withCitations(voice, places[place] ?? []));
  const topics = arrangeTopics(voices);
  const disputes = findContradictions(voices, (one, other) =>
    topics.some(({ members }) => members.includes(one) && members.includes(other)),
  );
  const confidence = combineConfidence(standingsOf(topics, { voices, disputes }));
  const isPartial =
    isUnsure(confidence) || branches.length > MAX_BRANCHES || disputes.length > 0 || voices.some(hasGap);
  const contradictions = disputes.map(({ contradiction }) => contradiction);
  const declined = voices.filter(({ isDeclined }) => isDeclined);
  return {
    answer: composeJoined(voices, { topics, disputes }),
    ...(sources.length > 0 ? { sources } : {}),
    confidence,
    ...(isPartial ? { partial: true } : {}),
    metadata: {
      parts: fitParts(parts, contradictions),
      ...(declined.length > 0 ? { closest: closestOf(declined.map(({ response }) => response)) } : {}),
      ...(contradictions.length > 0 ? { contradictions } : {}),
    },
  };
};

const withCitations = (voice: Voice, places: readonly (number | undefined)[]): Voice => {
  const text = renumberCitations(voice.text, places);
  return text === voice.text ? voice : { ...voice, text, reading: readingOf(text) };
};

const hasGap = ({ error, isDeclined, response }: Voice): boolean =>
  error !== undefined || isDeclined || response.partial === true;

const partOf = (
  { librarian, question, response, error }: Voice,
  places: readonly (number | undefined)[],
): AnswerPart => {
  const { answer, confidence, partial } = response;
  const { trace: _trace, ...metadata } = response.metadata ?? {};
  const cited = [...new Set(places)].filter((place) => place !== undefined);
  return {
    librarian,
    query: question.slice(0, 4000),
    ...(answer === undefined ? {} : { answer }),
    ...(cited.length > 0 ? { sources: cited } : {}),
    ...(confidence === undefined ? {} : { confidence }),
    ...(partial === undefined ? {} : { partial }),
    ...(error === undefined ? {} : { error }),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
};

const failedTogether = (voices: readonly Voice[], parts: readonly AnswerPart[]): LibrarianResponse => {
  const failures = voices.flatMap(({ librarian, error }) => (error === undefined ? [] : [{ librarian, error }]));
  if (failures.length === 0)
    return {
      error: errorInfo('DELEGATION_FAILED', { message: 'Cannot answer: no librarian was asked', recoverable: false }),
    };
  return { error: joinFailures(failures), metadata: { parts: fitParts(parts) } };
};

const standingsOf = (
  topics: readonly Topic[],
  { voices, disputes }: { voices: readonly Voice[]; disputes: readonly Dispute[] },
): Standing[] => {
  const confidenceAt = (place: number) => voices[place]?.response.confidence;
  // Where nobody has any information, how sure they are of that is all there is to say.
  const isInformed = voices.some(({ text, isDeclined }) => text !== '' && !isDeclined);
  return topics.map(({ members, said, agreeing }) => {
    const leading = voices[said[0]?.voice ?? -1];
    const own = disputes.filter(({ voices: pair }) => pair.some((place) => members.includes(place)));
    return {
      confidence: leading?.response.confidence,
      isAnswered: leading !== undefined && (!leading.isDeclined || !isInformed),
      agreeing: agreeing.map(confidenceAt),
      disputed: own.flatMap(({ voices: pair }) => pair.map(confidenceAt)),
    };
  });
};
