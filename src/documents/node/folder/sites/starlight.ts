import { languageTag } from '../../../../language/language-tag.ts';
import { Call, exportedValue, isMapping, type Literal, moduleReader } from './literal-values.ts';
import {
  addressOf,
  isMarkdown,
  NOT_OF_THE_SITE,
  numberIn,
  PARTIAL,
  type Site,
  type SiteFiles,
  slugOf,
  textIn,
  withoutEnding,
} from './site.ts';

const CONFIG = /^astro\.config\.(?:[cm]?js|[cm]?ts)$/;
const CONTENT = 'src/content/docs/';

/** Starlight: `astro.config.mjs` with the integration `starlight({ … })`. */
export function starlight(files: SiteFiles): Site | undefined {
  const name = files.list('').find((each) => CONFIG.test(each));
  const exported =
    name === undefined ? undefined : exportedValue(files.read(name) ?? '', moduleReader(files, ''));
  const config = exported instanceof Call ? exported.args[0] : exported;
  if (!isMapping(config)) return undefined;
  const integrations = Array.isArray(config.integrations) ? config.integrations : [];
  const call = integrations.find(
    (each): each is Call => each instanceof Call && /starlight/i.test(each.name),
  );
  if (call === undefined) return undefined;
  const options = isMapping(call.args[0]) ? call.args[0] : {};
  const { locales, usual } = localesOf(options);
  const slash = config.trailingSlash === 'never' ? '' : '/';
  return {
    generator: 'Starlight',
    address: addressOf(config.site, config.base),
    values: 'none',
    pageOf: (path, fields) => {
      if (!path.startsWith(CONTENT)) return { why: NOT_OF_THE_SITE };
      const file = path.slice(CONTENT.length);
      if (/(?:^|\/)_/.test(file)) return { why: PARTIAL };
      if (!isMarkdown(file)) return { why: NOT_OF_THE_SITE };
      const [first = ''] = file.split('/');
      const isLocale = locales.has(first);
      const slug = textIn(fields.slug)?.replace(/^\/+|\/+$/g, '');
      const segments = withoutEnding(file).split('/').map(slugOf);
      if (segments.at(-1) === 'index') segments.pop();
      const route = slug ?? segments.join('/');
      const sidebar = fields.sidebar as { order?: unknown } | undefined;
      return {
        route: route === '' ? '' : `${route}${slash}`,
        language: languageTag(isLocale ? locales.get(first) : usual),
        translation: isLocale ? file.slice(first.length + 1) : file,
        order: numberIn(sidebar?.order),
      };
    },
  };
}

/** Languages by the folder of each, and that of the files outside of these. */
function localesOf(options: Record<string, Literal>): {
  locales: Map<string, string>;
  usual: string | undefined;
} {
  const given = isMapping(options.locales) ? options.locales : {};
  const locales = new Map<string, string>();
  for (const [folder, value] of Object.entries(given))
    locales.set(folder, (isMapping(value) ? textIn(value.lang) : undefined) ?? folder);
  const usual = locales.get('root') ?? locales.get(textIn(options.defaultLocale) ?? '') ?? 'en';
  locales.delete('root');
  return { locales, usual };
}
