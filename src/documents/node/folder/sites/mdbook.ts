import { posix } from 'node:path';
import { languageTag } from '../../../../language/language-tag.ts';
import { isMapping } from './literal-values.ts';
import { readConfig } from './read-config.ts';
import {
  addressOf,
  folderOf,
  linkedPages,
  NOT_OF_THE_SITE,
  routeOf,
  type Site,
  type SiteFiles,
  textIn,
} from './site.ts';

/** mdBook: `book.toml`; its pages are the chapters that `SUMMARY.md` links to. */
export function mdbook(files: SiteFiles): Site | undefined {
  const text = files.read('book.toml');
  if (text === undefined) return undefined;
  const config = readConfig('book.toml', text);
  const book = isMapping(config.book) ? config.book : {};
  const html = isMapping(config.output) && isMapping(config.output.html) ? config.output.html : {};
  const source = folderOf(textIn(book.src) ?? 'src');
  const pages = linkedPages(files.read(`${source}SUMMARY.md`) ?? '', source);
  const host = textIn(html.cname);
  return {
    generator: 'mdBook',
    address: addressOf(host === undefined ? html['site-url'] : `https://${host}`, html['site-url']),
    values: 'none',
    isOrderOfAll: true,
    pageOf: (path) => {
      const page = pages.get(posix.normalize(path));
      if (page === undefined) return { why: NOT_OF_THE_SITE };
      return {
        ...page,
        route: routeOf(path.slice(source.length), { ending: '.html' }),
        language: languageTag(textIn(book.language)),
      };
    },
  };
}
