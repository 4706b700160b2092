import { exportedValue, isMapping } from './literal-values.ts';
import {
  folderOf,
  isMarkdown,
  linkedPages,
  NOT_OF_THE_SITE,
  PARTIAL,
  routeOf,
  type Site,
  type SiteFiles,
  textIn,
} from './site.ts';

/** Docsify: a page `index.html` that loads it, with its settings in a script; `_sidebar.md` orders the pages. */
export function docsify(files: SiteFiles): Site | undefined {
  const page = files.read('index.html') ?? '';
  const [, script = ''] =
    /<script\b[^>]{0,200}>((?:(?!<\/script)[\s\S]){0,100000}\$docsify\s*=[\s\S]{0,100000}?)<\/script/i.exec(
      page,
    ) ?? [];
  if (script === '' && !/<script\b[^>]{0,300}docsify/i.test(page)) return undefined;
  const value = exportedValue(script.replace(/(?:window\.)?\$docsify\s*=/, 'module.exports ='));
  const settings = isMapping(value) ? value : {};
  const home = textIn(settings.homepage) ?? 'README.md';
  const sidebar = typeof settings.loadSidebar === 'string' ? settings.loadSidebar : '_sidebar.md';
  const contents = new Map<string, ReturnType<typeof linkedPages>>();
  const pagesBelow = (folder: string): ReturnType<typeof linkedPages> => {
    const pages =
      contents.get(folder) ??
      linkedPages(files.read(folder + sidebar) ?? '', settings.relativePath === true ? folder : '');
    contents.set(folder, pages);
    return pages;
  };
  const isPath = settings.routerMode === 'history';
  return {
    generator: 'Docsify',
    address: undefined,
    addressEnd: isPath ? '' : '#/',
    values: 'none',
    hasSiteLinks: true,
    isOrderOfAll: true,
    pageOf: (path) => {
      if (/(?:^|\/)_/.test(path)) return { why: PARTIAL };
      if (!isMarkdown(path)) return { why: NOT_OF_THE_SITE };
      const route = path === home ? '' : routeOf(path);
      const own = folderOf(path.includes('/') ? (path.split('/')[0] ?? '') : '');
      const names = [path, route, `/${route}`];
      for (const folder of new Set([own, ''])) {
        const place = names
          .map((name) => pagesBelow(folder).get(name))
          .find((each) => each !== undefined);
        if (place !== undefined) return { ...place, route };
      }
      return { route };
    },
  };
}
