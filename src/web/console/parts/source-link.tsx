import type { ComponentChildren } from 'preact';

interface SourceLinkProps {
  url: string | undefined;
  /** Opens the address at these words. */
  quote?: string | undefined;
  onFocus?: () => void;
  onBlur?: () => void;
  children: ComponentChildren;
}

/** A link to a source, in a tab of its own; the text alone where its address is none that is safe to open. */
export function SourceLink({ url, quote, children, ...handlers }: SourceLinkProps) {
  const safe = passageUrl(url, quote);
  if (safe === undefined) return <span>{children}</span>;
  return (
    <a href={safe} target="_blank" rel="noreferrer noopener" {...handlers}>
      {children}
    </a>
  );
}

const ALLOWED = new Set(['https:', 'http:', 'mailto:']);

/** The address for a link; undefined for schemes that would run or load something, and for what is no address. */
export function safeUrl(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address, location.origin)) return undefined;
  const url = new URL(address, location.origin);
  return ALLOWED.has(url.protocol) ? url.href : undefined;
}

const FRAGMENT_WORDS = 10;

/**
 * The address of an article at a quote, by a text fragment (`#:~:text=`). Browsers look for the text as it is displayed, so the longest run
 * of words without Markdown in the quote's first lines is taken.
 */
const passageUrl = (address: string | undefined, quote: string | undefined): string | undefined => {
  const safe = safeUrl(address);
  if (safe === undefined || quote === undefined) return safe;
  const runs = quote.slice(0, 600).split(/[\n|*_`#<>[\]()]+|^\s*[-+]\s|^\s*\d+\.\s/m);
  const longest = runs
    .map((run) => run.trim())
    .reduce((best, run) => (run.length > best.length ? run : best), '');
  const words = longest.split(/\s+/).slice(0, FRAGMENT_WORDS).join(' ');
  if (words.length < 4) return safe;
  return `${safe.replace(/#.*/, '')}#:~:text=${encodeURIComponent(words).replaceAll('-', '%2D')}`;
};
