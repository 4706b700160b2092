import type { NavigatorResponse } from '../../contract/core/navigator-response.ts';
import type { Source } from '../../contract/core/response.ts';
import {
  cachedArticle,
  type Edition,
  type EditionArticle,
} from '../../knowledge/edition/open-edition.ts';
import { devicesNamedIn } from '../../knowledge/search/devices-named-in.ts';
import type { SearchHit } from '../../knowledge/search/search-edition.ts';

/** A response (docs/contract.md#navigator) with further data for callers. */
export interface NavigatorAnswer {
  response: NavigatorResponse;
  /** `answer`, or why there is none: no information, out of domain, or too few details in the question. */
  verdict: 'answer' | 'no-information' | 'out-of-domain' | 'underspecified';
  /** Probability that the answer answers the question, 0 to 1; low when there is none. */
  probability: number;
  /** The cited articles, each once, the most relevant first. */
  sources: Source[];
  /** Closest articles that are not cited, best first, at most three. */
  closest: ClosestArticle[];
  /** The words of `response.answer` that need no source: titles, references and phrases of our own. */
  frame: readonly string[];
  /** The rules that it broke before it was mended. */
  violations?: readonly AnswerViolation[];
}

/** A rule that an answer broke, and what was done: the part was left out, or no answer was given. */
export interface AnswerViolation {
  rule: string;
  outcome: 'dropped' | 'abstained';
}

/** An article close to a question. */
export interface ClosestArticle {
  title: string;
  /** The article's id, as in `NavigatorResponse.sources`. */
  file?: string;
  url?: string;
  /** The best heading. */
  heading?: string;
}

/** A hit with its article. */
export interface ArticleHit extends SearchHit {
  source: EditionArticle;
}

/** The hits that may answer, given the devices that the question names. */
export interface ChosenHits {
  /** Best first. */
  hits: ArticleHit[];
  /** Devices that the question names, as the articles write them; only the most specific ones. */
  named: string[];
  /** The question names a device, and all hits are about others. */
  isOtherDevice: boolean;
}

/**
 * Drops hits about other devices than the question names, so that only the right one of near-duplicates is quoted. Articles without a
 * device apply to all. When no hit fits, the others stay and `isOtherDevice` is true.
 */
export function chooseHits(
  edition: Edition,
  question: string,
  results: readonly SearchHit[],
): ChosenHits {
  const hits = results.map((hit) => ({ ...hit, source: cachedArticle(edition, hit.article) }));
  const named = devicesNamedIn(question, edition.devices());
  if (named.length === 0) return { hits, named, isOtherDevice: false };
  const fitting = hits.filter(({ source }) => isAbout(source, named));
  const written = named.map((device) => asWritten(device, { hits, question }));
  const [best] = hits;
  const isCovered =
    fitting[0] !== undefined && best !== undefined && fitting[0].score >= COVERED_FROM * best.score;
  return isCovered || best === undefined
    ? { hits: fitting, named: written, isOtherDevice: false }
    : { hits, named: written, isOtherDevice: true };
}

/** A hit for the named device with a lower share of the best score is off topic. */
const COVERED_FROM = 0.85;

const isAbout = ({ devices }: EditionArticle, named: readonly string[]): boolean =>
  devices.length === 0 || devices.some((device) => named.includes(device.toLowerCase()));

/** As an article writes it, else as the question does. */
const asWritten = (
  device: string,
  { hits, question }: { hits: readonly ArticleHit[]; question: string },
): string => {
  const known = hits
    .flatMap(({ source }) => source.devices)
    .find((each) => each.toLowerCase() === device);
  const at = question.toLowerCase().indexOf(device);
  return known ?? (at < 0 ? device : question.slice(at, at + device.length));
};
