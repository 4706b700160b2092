import { wordsOf } from '../text/analyse-text.ts';
import { stem } from '../text/stem.ts';

/** The distinct stems of the content words of a text, in order; searches and memories are compared by them. */
export const stemsOf = (text: string): string[] => [...new Set(wordsOf(text).map(stem))];
