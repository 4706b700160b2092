import ignore from 'ignore';
import { languageTag } from '../../../../language/language-tag.ts';
import { assignedValues, isMapping, type Literal } from './literal-values.ts';
import {
  addressOf,
  listIn,
  NOT_OF_THE_SITE,
  type Site,
  type SiteFiles,
  textIn,
  valueAt,
  withoutEnding,
} from './site.ts';

/** What its templates and builds make. */
const BUILT = ['_build', '_static', '_templates', '_themes'];

/** Sphinx: `conf.py`, as far as it assigns literals. */
export function sphinx(files: SiteFiles): Site | undefined {
  const text = files.list('').includes('conf.py') ? files.read('conf.py') : undefined;
  if (text === undefined) return undefined;
  const config = assignedValues(text);
  if (
    !['extensions', 'html_theme', 'master_doc', 'root_doc', 'html_title'].some((name) =>
      Object.hasOwn(config, name),
    )
  )
    return undefined;
  const rules = ignore().add([
    ...BUILT,
    ...listIn(config.exclude_patterns),
    ...listIn(config.templates_path),
  ]);
  const sources = suffixesOf(config.source_suffix);
  const suffix = textIn(config.html_file_suffix) ?? '.html';
  return {
    generator: 'Sphinx',
    address: addressOf(config.html_baseurl),
    values: 'everywhere',
    hasPlainValues: listIn(config.myst_enable_extensions).includes('substitution'),
    pageOf: (path) => {
      if (rules.ignores(path)) return { why: 'excluded by exclude_patterns' };
      if (!sources.some((ending) => path.endsWith(ending))) return { why: NOT_OF_THE_SITE };
      return {
        route: withoutEnding(path) + suffix,
        language: languageTag(textIn(config.language)),
      };
    },
    attributes: attributesOf(config),
    around: { before: textIn(config.rst_prolog), after: textIn(config.rst_epilog) },
    // Substitutions of MyST.
    settingOf: (name) => valueAt(config.myst_substitutions, name.split('.')),
  };
}

/** What Sphinx puts in for `|version|` and `|release|`. */
const attributesOf = (config: Readonly<Record<string, Literal>>): Record<string, string> =>
  Object.fromEntries(
    ['version', 'release'].flatMap((name) => {
      const value = textIn(config[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Markdown and notebooks are read by extensions that name no suffix. */
function suffixesOf(value: Literal): string[] {
  const named = isMapping(value) ? Object.keys(value) : listIn(value);
  return named.length === 0 ? ['.rst', '.md', '.ipynb'] : named;
}
