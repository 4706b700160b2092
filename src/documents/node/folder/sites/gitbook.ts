import { readJson, readYaml } from './read-config.ts';
import {
  folderOf,
  linkedPages,
  NOT_OF_THE_SITE,
  routeOf,
  type Site,
  type SiteFiles,
  textIn,
} from './site.ts';

/** GitBook: `.gitbook.yaml` or `book.json`, or the table of contents that GitBook writes; its pages are those that this links to. */
export function gitbook(files: SiteFiles): Site | undefined {
  const config = readYaml(files.read('.gitbook.yaml') ?? '');
  const earlier = readJson(files.read('book.json') ?? '');
  const { readme, summary } = (config.structure ?? earlier.structure ?? {}) as {
    readme?: unknown;
    summary?: unknown;
  };
  const source = folderOf(textIn(config.root) ?? textIn(earlier.root) ?? '');
  const contents = files.read(source + (textIn(summary) ?? 'SUMMARY.md').replace(/^\.?\//, ''));
  const isNamed = ['.gitbook.yaml', 'book.json'].some((name) => files.read(name) !== undefined);
  if (contents === undefined || !(isNamed || /^\s*# Table of contents\s*$/m.test(contents)))
    return undefined;
  const first = source + (textIn(readme) ?? 'README.md').replace(/^\.?\//, '');
  const pages = linkedPages(contents, source);
  return {
    generator: 'GitBook',
    address: undefined,
    values: 'none',
    isOrderOfAll: true,
    pageOf: (path) => {
      const page = pages.get(path) ?? (path === first ? { order: -1 } : undefined);
      if (page === undefined) return { why: NOT_OF_THE_SITE };
      return {
        ...page,
        route: path === first ? '' : routeOf(path.slice(source.length)).replace(/\/$/, ''),
      };
    },
  };
}
