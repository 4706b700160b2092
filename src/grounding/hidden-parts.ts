import { splitBlocks } from '../markup/split-blocks.ts';
import { oncePer } from '../runtime/once-per.ts';
import type { CachedChunk } from '../search/chunk-cache.ts';
import type { EditionArticle } from '../search/open-edition.ts';
import type { Span } from '../text/split-sentences.ts';
import { hasPromptInjection, isInjectionName } from './prompt-injection.ts';

const injectedNames = oncePer(({ id, title, devices }: EditionArticle) => ({
  is: [id, title, ...devices].some(isInjectionName),
}));
/** Whether the article's title or a heading above the chunk is a prompt injection. */
export const isNamedByInjection = ({ headingPath, source }: CachedChunk): boolean =>
  hasInjectionName(source) || headingPath.some(isInjectionName);

const hasInjectionName = (article: EditionArticle): boolean => injectedNames(article).is;

/** Whether a span overlaps one of several. */
export const overlaps = (spans: readonly Span[], { start, end }: Span): boolean =>
  spans.some((span) => start < span.end && end > span.start);

/**
 * Parts of a chunk's text that are not shown, in order: invisible blocks (comments, scripts), and everything from the first prompt
 * injection on.
 */
export const hiddenIn: (chunk: CachedChunk) => readonly Span[] = oncePer(({ text, headingPath }: CachedChunk) => {
  const blocks = splitBlocks(text);
  const comments = [...text.matchAll(/<!--[\s\S]*?(?:-->|$)/g)].map(({ 0: all, index }) => ({
    start: index,
    end: index + all.length,
  }));
  // The heading is checked together with its block: "### System:" above "You are ...".
  const heading = headingPath.at(-1) ?? '';
  const fullText = (start: number, end: number) =>
    `${start === blocks[0]?.start ? `${heading}\n` : ''}${text.slice(start, end)}`;
  const first =
    blocks.find(({ start, end }) => hasPromptInjection(fullText(start, end)))?.start ??
    (hasPromptInjection(text) ? 0 : -1);
  const raw = blocks.filter(({ kind }) => kind === 'raw').map(({ start, end }) => ({ start, end }));
  const hidden = [...raw, ...comments, ...(first < 0 ? [] : [{ start: first, end: text.length }])];
  return hidden.sort((one, other) => one.start - other.start);
});
