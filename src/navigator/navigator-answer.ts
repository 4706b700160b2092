import type { NavigatorResponse } from '../contract/navigator-response.ts';

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
