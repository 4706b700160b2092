import * as z from 'zod';
import { readAs } from '../contract/error-info.ts';
import { statesLackOfInformation } from '../contract/navigator-response.ts';
import type { LibrarianResponse } from '../contract/response.ts';

/** An article close to a question that no article answers. */
const ClosestArticle = z.object({
  title: z.string().min(1).max(500),
  file: z.string().max(500).optional(),
  url: z.string().max(2000).optional(),
  heading: z.string().max(500).optional(),
});
type ClosestArticle = z.infer<typeof ClosestArticle>;

/** Articles shown with an answer that declines. */
const MAX_CLOSEST = 3;

/** Whether an answer states that information is lacking: it has no sources, and lists the closest articles or says so in words. */
export const isDeclined = ({ answer, sources = [], metadata }: LibrarianResponse): boolean =>
  answer !== undefined && sources.length === 0 && (Array.isArray(metadata?.closest) || statesLackOfInformation(answer));

/** The closest articles of several answers, each once, at most three. */
export const closestOf = (responses: readonly Pick<LibrarianResponse, 'metadata'>[]): ClosestArticle[] => {
  const all = responses.flatMap(({ metadata }) => {
    const read = readAs(z.array(ClosestArticle), metadata?.closest);
    return read.ok ? read.value : [];
  });
  const once = new Map(all.map((article) => [article.url ?? article.title, article]));
  return [...once.values()].slice(0, MAX_CLOSEST);
};

/** The Response for a question that no librarian can answer: an answer that says so, never an error. */
export const nothingFound = (metadata: Readonly<Record<string, unknown>> = {}): LibrarianResponse => ({
  answer: 'I found nothing that answers this question.',
  sources: [],
  confidence: 0,
  partial: true,
  metadata: { closest: [], ...metadata },
});
