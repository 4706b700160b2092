import type { ComponentChildren } from 'preact';
import { passageUrl } from './safe-url.ts';

interface SourceLinkProps {
  url: string | undefined;
  /** Opens the address at these words. */
  quote?: string | undefined;
  onFocus?: () => void;
  onBlur?: () => void;
  children: ComponentChildren;
}

/** A link to a source, in a tab of its own; the text alone where its address is none that is safe to open. */
export const SourceLink = ({ url, quote, children, ...handlers }: SourceLinkProps) => {
  const safe = passageUrl(url, quote);
  if (safe === undefined) return <span>{children}</span>;
  return (
    <a href={safe} target="_blank" rel="noreferrer noopener" {...handlers}>
      {children}
    </a>
  );
};
