import type { HealthFinding } from '../../contract/knowledge-health.ts';
import type { Section } from '../../grounding/sections.ts';
import type { EditionArticle } from '../../search/open-edition.ts';
import { placeOf } from './place-of.ts';

/** A link with more text around it is none that a writer wrote. */
const LINK = /\[[^\]\n]{0,300}\]\(\s*<?([^\s()<>]{1,500})/g;
const FILE_ENDING = /\.(?:md|mdx|markdown|html?|txt)$/i;

/**
 * Links to articles that there are not: relative ones that lead to no article by file or by address, and absolute ones into a folder of
 * the web site where other articles are.
 */
export const deadLinks = (
  articles: readonly EditionArticle[],
  sections: readonly (readonly Section[])[],
): HealthFinding[] => {
  const files = new Set(articles.map(({ id }) => withoutEnding(id)));
  const addresses = new Set(articles.map(({ url }) => pageOf(url)));
  const folders = new Set([...addresses].map(folderOf));
  const isDead = ({ id, url }: EditionArticle, target: string): boolean => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) {
      if (!/^https?:/i.test(target) || !URL.canParse(target)) return false;
      return !addresses.has(pageOf(target)) && folders.has(folderOf(pageOf(target)));
    }
    if (target.startsWith('#') || target.startsWith('//')) return false;
    const file = new URL(target, `https://files.invalid/${id}`).pathname.slice(1);
    const address = URL.canParse(target, url) ? pageOf(new URL(target, url).href) : undefined;
    const isArticle = files.has(withoutEnding(decoded(file))) || (address !== undefined && addresses.has(address));
    // A link to a picture or an archive is to no article.
    return !isArticle && (FILE_ENDING.test(file) || !/\.[a-z0-9]{1,8}$/i.test(file));
  };
  return articles.flatMap((article, at) =>
    (sections[at] ?? []).flatMap((section) =>
      linksIn(section)
        .filter((target) => isDead(article, target))
        .map(
          (target): HealthFinding => ({
            kind: 'dead_link',
            place: placeOf(article, { path: section.path }),
            detail: target.slice(0, 500),
          }),
        ),
    ),
  );
};

/** Addresses of the links of a section, each once; those in code are examples. */
const linksIn = ({ text, pieces }: Section): string[] => {
  const prose = pieces.filter(({ kind }) => kind !== 'code').map(({ start, end }) => text.slice(start, end));
  const found = prose.flatMap((piece) => [...piece.replaceAll(/`[^`\n]*`/g, '').matchAll(LINK)]);
  return [...new Set(found.map(([, target = '']) => target))];
};

const pageOf = (url: string): string => withoutEnding(url.replace(/[?#].*$/s, '')).replace(/\/(?:index)?$/, '');
const folderOf = (page: string): string => page.slice(0, page.lastIndexOf('/') + 1);
const withoutEnding = (path: string): string => path.replace(FILE_ENDING, '');

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};
