import type { NavigatorResponse } from '../contract/navigator-response.ts';
import { articleAtHand } from '../search/chunks-at-hand.ts';
import { devicesNamedIn } from '../search/devices-named-in.ts';
import type { Edition, EditionArticle } from '../search/open-edition.ts';
import type { SearchHit } from '../search/search-edition.ts';

/** An answer in the dialect of seed 004, and what a caller needs beyond it. */
export interface NavigatorAnswer {
  response: NavigatorResponse;
  /** `answer`; or why there is none: nothing is written, the question is about something else, or it says too little. */
  verdict: 'answer' | 'no-information' | 'out-of-domain' | 'underspecified';
  /** That the answer given answers the question, 0 to 1; low when there is none. */
  probability: number;
  /** For each of `response.sources`: how a reader finds the article, and how probably it answers, 0 to 1. */
  sources: { title: string; url: string; relevance: number }[];
  /** Articles that come closest besides those cited, best first, at most three. */
  closest: ClosestArticle[];
}

/** An article that comes close to a question. */
export interface ClosestArticle {
  title: string;
  /** The article's id, as in `NavigatorResponse.sources`. */
  file?: string;
  url?: string;
  /** That fits best. */
  heading?: string;
}

/** A hit with the article it lies in. */
export interface ArticleHit extends SearchHit {
  source: EditionArticle;
}

/** Which hits may answer, with regard to the devices that the question names. */
export interface ChosenHits {
  /** Best first. */
  hits: ArticleHit[];
  /** Devices that the question names, as the articles write them; the most specific ones only. */
  named: string[];
  /** The question names a device, but what was found is about others. */
  isOtherDevice: boolean;
}

/**
 * Leaves out what is about another device than the question names: of near-duplicates only the right one may be quoted.
 * Articles without a device speak for all. Where nothing that fits is left, the others stay, and `isOtherDevice` says so.
 */
export const chooseHits = (edition: Edition, question: string, found: readonly SearchHit[]): ChosenHits => {
  const hits = found.map((hit) => ({ ...hit, source: articleAtHand(edition, hit.article) }));
  const named = devicesNamedIn(question, edition.devices());
  if (named.length === 0) return { hits, named, isOtherDevice: false };
  const fitting = hits.filter(({ source }) => isAbout(source, named));
  const written = named.map((device) => asWritten(device, { hits, question }));
  const [best] = hits;
  const isCovered = fitting[0] !== undefined && best !== undefined && fitting[0].score >= COVERED_FROM * best.score;
  return isCovered || best === undefined
    ? { hits: fitting, named: written, isOtherDevice: false }
    : { hits, named: written, isOtherDevice: true };
};

/** A passage on the named device that fits this much worse than one on others is about something else. */
const COVERED_FROM = 0.85;

const isAbout = ({ devices }: EditionArticle, named: readonly string[]): boolean =>
  devices.length === 0 || devices.some((device) => named.includes(device.toLowerCase()));

/** As an article writes it, else as the question does. */
const asWritten = (device: string, { hits, question }: { hits: readonly ArticleHit[]; question: string }): string => {
  const known = hits.flatMap(({ source }) => source.devices).find((each) => each.toLowerCase() === device);
  const at = question.toLowerCase().indexOf(device);
  return known ?? (at < 0 ? device : question.slice(at, at + device.length));
};
