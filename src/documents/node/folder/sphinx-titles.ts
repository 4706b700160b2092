import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { decodeText } from '../../../language/decode-text.ts';
import { isAdornment, nameOf } from '../rst-document.ts';
import type { FolderSite } from './scan-folder.ts';

const REFERENCE = /(:(?:std:)?(doc|ref):)`([^`<>\n]{1,200})`/g;

/** References to other files of a site of Sphinx get the titles that its pages show. */
export function withTitles(text: string, file: string, site: FolderSite | undefined): string {
  if (site === undefined || !/:(?:doc|ref):`/.test(text)) return text;
  return text.replace(REFERENCE, (found, role: string, kind: string, target: string) => {
    const title =
      kind === 'ref'
        ? titlesOf(site).byLabel.get(nameOf(target))
        : titlesOf(site).byFile.get(
            target.startsWith('/') ? join(site.root, target) : resolve(dirname(file), target),
          );
    return title === undefined ? found : `${role}\`${title} <${target}>\``;
  });
}

interface Titles {
  /** Titles of the sections that follow a label. */
  byLabel: Map<string, string>;
  /** Titles of whole files, by their path without an ending. */
  byFile: Map<string, string>;
}

const titlesBySite = new WeakMap<FolderSite, Titles>();
const MAX_TITLED_FILES = 3000;
const MAX_TITLED_BYTES = 300_000;
/** Below such folders lies nothing of a site. */
const HIDDEN = /(?:^|[/\\])(?:\.|node_modules[/\\])/;
const LABEL = /^\.\. _(?:`([^`]{1,200})`|([^:\n]{1,200})):[ \t]*$/;

/** Read once for a scan of the folder. */
function titlesOf(site: FolderSite): Titles {
  const earlier = titlesBySite.get(site);
  if (earlier !== undefined) return earlier;
  const titles: Titles = { byLabel: new Map(), byFile: new Map() };
  titlesBySite.set(site, titles);
  const names = readdirSync(site.root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.rst$/i.test(name) && !HIDDEN.test(name),
  );
  for (const name of names.slice(0, MAX_TITLED_FILES)) {
    const file = join(site.root, name);
    const stats = lstatSync(file);
    const isRead = stats.isFile() && stats.size <= MAX_TITLED_BYTES;
    const text = isRead ? decodeText(readFileSync(file)) : undefined;
    if (text !== undefined) addTitles(text.replace(/\r\n?/g, '\n').split('\n'), file, titles);
  }
  return titles;
}

function addTitles(lines: readonly string[], file: string, { byLabel, byFile }: Titles): void {
  const path = file.replace(/\.rst$/i, '');
  let labels: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '' || line.length > 300) continue;
    const [, quoted, plain] = LABEL.exec(line) ?? [];
    if (quoted ?? plain) labels.push(nameOf(quoted ?? plain ?? ''));
    else if (isAdornment(lines[at + 1] ?? '') && !isAdornment(line)) {
      const title = line.replace(/[`<>*]/g, '').trim();
      for (const label of labels) byLabel.set(label, title);
      if (!byFile.has(path)) byFile.set(path, title);
      labels = [];
    } else if (!isAdornment(line)) labels = [];
  }
}
