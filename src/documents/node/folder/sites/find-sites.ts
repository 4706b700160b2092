import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { antora } from './antora.ts';
import { docsify } from './docsify.ts';
import { docusaurus } from './docusaurus.ts';
import { gitbook } from './gitbook.ts';
import { hugo } from './hugo.ts';
import { jekyll } from './jekyll.ts';
import { mdbook } from './mdbook.ts';
import { mkdocs } from './mkdocs.ts';
import { nextra } from './nextra.ts';
import { readJson } from './read-config.ts';
import { addressOf, type Site, type SiteFiles } from './site.ts';
import { sphinx } from './sphinx.ts';
import { starlight } from './starlight.ts';
import { vitepress } from './vitepress.ts';

/** Names that a folder with a configuration has. */
const SIGNS =
  /^(?:docusaurus\.config\.\w+|mkdocs\.ya?ml|astro\.config\.\w+|\.vitepress|conf\.py|(?:hugo|config)\.(?:toml|ya?ml|json)|config|_config\.yml|antora\.yml|book\.toml|book\.json|\.gitbook\.yaml|SUMMARY\.md|next\.config\.\w+|index\.html)$/;

const READERS = [
  docusaurus,
  mkdocs,
  starlight,
  vitepress,
  hugo,
  jekyll,
  sphinx,
  antora,
  nextra,
  mdbook,
  gitbook,
  docsify,
];

export function mayHoldSite(names: readonly string[]): boolean {
  return names.some((name) => SIGNS.test(name));
}

/** The site that the configuration in a folder describes; undefined when there is none. */
export function siteIn(folder: string): Site | undefined {
  const files = filesIn(folder);
  for (const read of READERS) {
    const site = read(files);
    if (site !== undefined)
      return { ...site, address: endedWith(site.address ?? customDomain(files), site) };
  }
  return undefined;
}

/** An address with what those of the pages have behind it. */
export function endedWith(
  address: string | undefined,
  { addressEnd = '' }: Site,
): string | undefined {
  return address === undefined ? undefined : address.replace(/\/*$/, '/') + addressEnd;
}

/** GitHub Pages serves a site under the domain in its file CNAME; otherwise a package may name its page. */
function customDomain(files: SiteFiles): string | undefined {
  for (const place of [
    'CNAME',
    'static/CNAME',
    'public/CNAME',
    'docs/CNAME',
    'docs/public/CNAME',
  ]) {
    const name = files.read(place)?.trim();
    if (name !== undefined && /^[\w-]+(?:\.[\w-]+)+$/.test(name))
      return addressOf(`https://${name}`);
  }
  const homepage = readJson(files.read('package.json') ?? '').homepage;
  return typeof homepage === 'string' &&
    !/^https?:\/\/(?:www\.)?(?:github|gitlab|npmjs)\.com\//i.test(homepage)
    ? addressOf(homepage.split('#')[0])
    : undefined;
}

const MAX_CONFIG_BYTES = 1_000_000;

/** Only files below the folder, whatever links lead out of it. */
function filesIn(folder: string): SiteFiles {
  const root = realpathSync(folder);
  const inside = (path: string): string | undefined => {
    try {
      const file = realpathSync(join(root, path));
      return file === root || file.startsWith(root + sep) ? file : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    read: (path) => {
      const file = inside(path);
      if (file === undefined) return undefined;
      const stats = statSync(file);
      return stats.isFile() && stats.size <= MAX_CONFIG_BYTES
        ? readFileSync(file, 'utf8')
        : undefined;
    },
    list: (path) => {
      const place = inside(path);
      return place !== undefined && statSync(place).isDirectory() ? readdirSync(place).sort() : [];
    },
  };
}
