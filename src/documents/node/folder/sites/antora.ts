import { isMapping } from '../../../front-matter.ts';
import { readYaml } from './read-config.ts';
import {
  addressOf,
  NOT_OF_THE_SITE,
  PARTIAL,
  type Site,
  type SiteFiles,
  textIn,
  withoutEnding,
} from './site.ts';

const PLAYBOOKS = ['antora-playbook.yml', 'site.yml', 'playbook.yml', 'local-antora-playbook.yml'];

/** Antora: `antora.yml` of a component, with the playbook beside it. */
export function antora(files: SiteFiles): Site | undefined {
  const text = files.list('').includes('antora.yml') ? files.read('antora.yml') : undefined;
  if (text === undefined || files.list('modules').length === 0) return undefined;
  const component = readYaml(text);
  const playbook =
    PLAYBOOKS.map((name) => readYaml(files.read(name) ?? '')).find((each) =>
      isMapping(each.site),
    ) ?? {};
  const site = isMapping(playbook.site) ? playbook.site : {};
  const urls = isMapping(playbook.urls) ? playbook.urls : {};
  const name = textIn(component.name) ?? 'ROOT';
  const version =
    typeof component.version === 'number' ? String(component.version) : textIn(component.version);
  const prefix = [name === 'ROOT' ? undefined : name, version === 'master' ? undefined : version];
  return {
    generator: 'Antora',
    address: addressOf(site.url),
    values: 'none',
    attributes: {
      ...attributesOf(playbook.asciidoc),
      ...attributesOf(component.asciidoc),
      'page-component-name': name,
      'page-component-title': textIn(component.title) ?? name,
      'page-component-version': version ?? '',
      'page-version': version ?? '',
    },
    pageOf: (path) => {
      const [, module = '', family = '', file = ''] =
        /^modules\/([^/]+)\/([^/]+)\/(.+)$/.exec(path) ?? [];
      if (family === 'partials' || family === 'examples' || /(?:^|\/)_/.test(file))
        return { why: PARTIAL };
      if (family !== 'pages' || !/\.adoc$/.test(file)) return { why: NOT_OF_THE_SITE };
      const parts = [
        ...prefix,
        module === 'ROOT' ? undefined : module,
        ...withoutEnding(file).split('/'),
      ];
      return {
        route: routeOf(
          parts.filter((each) => each !== undefined).join('/'),
          textIn(urls.html_extension_style),
        ),
      };
    },
  };
}

function routeOf(path: string, style: string | undefined): string {
  if (style !== 'indexify' && style !== 'drop') return `${path}.html`;
  const plain = path.replace(/(?:^|\/)index$/, '');
  return style === 'drop' || plain === '' ? plain : `${plain}/`;
}

/** Values of attributes: `@` at the end only says that a page may change it, `false` that there is none. */
function attributesOf(config: unknown): Record<string, string> {
  const attributes = isMapping(config) && isMapping(config.attributes) ? config.attributes : {};
  return Object.fromEntries(
    Object.entries(attributes)
      .filter(([name, value]) => /^[\w-]{1,80}$/.test(name) && value !== false && !isMapping(value))
      .map(([name, value]) => [name, String(value ?? '').replace(/@$/, '')])
      .filter(([, value]) => !value?.includes('\n')),
  );
}
