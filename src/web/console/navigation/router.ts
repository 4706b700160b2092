import { signal } from '@preact/signals';
import type { AnswerFilter } from '../../../contract/wire/answers.ts';

/** A place in the console: the address is the state of a view. */
interface Place {
  /** Parts of the path, decoded: `/trace/4f2a` is `['trace', '4f2a']`. */
  parts: readonly string[];
  query: URLSearchParams;
}

const read = (): Place => ({
  parts: location.pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decoded),
  query: new URLSearchParams(location.search),
});

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

export const place = signal<Place>(read());

/** Shows another address; `replace` for a change of the same view that going back should skip. */
export function navigate(path: string, { replace = false }: { replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  place.value = read();
  if (!replace) scrollTo(0, 0);
}

/** Follows links within the page, and going back and forward. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    place.value = read();
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlain =
      event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    // By attributes, which links in a drawing have too.
    const address = link?.getAttribute('href');
    if (
      link == null ||
      address == null ||
      !isPlain ||
      event.defaultPrevented ||
      link.hasAttribute('target')
    )
      return;
    const { origin, pathname, search, hash } = new URL(address, location.href);
    if (origin !== location.origin || link.dataset.page === 'other' || hash !== '') return;
    event.preventDefault();
    navigate(pathname + search);
  });
}

/** The view Answers with these filters. */
export function answersAddress(
  filter: Partial<Record<keyof AnswerFilter, string | undefined>>,
): string {
  const set = Object.entries(filter).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return `/answers?${new URLSearchParams(set)}`;
}

/** The address of an article in the view Knowledge, where a passage of its text is marked. Its id is no part of the path, which must not look like a file. */
export function articleAddress(
  id: string,
  {
    isEdited = false,
    passage,
  }: { isEdited?: boolean; passage?: { start: number; end: number } } = {},
): string {
  const at =
    passage === undefined ? {} : { start: String(passage.start), end: String(passage.end) };
  return `/knowledge?${new URLSearchParams({ article: id, ...at })}${isEdited ? '&edit' : ''}`;
}
