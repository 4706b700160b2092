import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { FolderOptions } from '../../src/documents/node/folder/scan-folder.ts';
import { readSources } from '../../src/knowledge/sources/source-settings.ts';
import { isOwnAddress } from '../../src/platform/http/public-address.ts';
import { startCommand } from '../command-line.ts';
import { FOLDER_HELP, FOLDER_OPTIONS, folderOptions } from '../folder-options.ts';

export const HELP = `Runs Constellation on this machine: every function in one workerd, with a knowledge base, and no account.

  ${startCommand('[options]')}

  --kb <folder or URL>   what to answer from: a folder of Markdown, HTML, Word and PDF files, or the address of a host
                         knowledge base API (GET <URL> lists articles). Default: the sample knowledge base
${FOLDER_HELP.replaceAll(/^( {2}--\S+ <\w+>) +/gm, (_, name: string) => name.padEnd(25)).replaceAll(/^ {22}/gm, ' '.repeat(25))}
  --site <URL>           a web site instead: the pages of its sitemap, or all that links lead to below this address
                         (docs/sources.md)
  --taxonomy <file>      the intents of the support desk, as JSON (docs/support.md). Default: those of the sample
                         knowledge base with it, and none with another
  --port <number>        where the gateway listens on 127.0.0.1 (default 8787; 0 picks a free one)
  --state <folder>       what outlives a restart: articles, intents, answers, gaps, tickets, memories. By default each
                         knowledge base has a folder of its own in .constellation; the API key there is for all of them
  --moved                the knowledge base of that folder was at another place before
  --fresh                forget that folder's contents first
  --web-search local     answer web searches from a web of invented shops on this machine, to try it out; with the sample
                         knowledge base only. Without it, and without a provider's key in the environment, there is no
                         web search
  --no-model             answer with quotes only, whatever model is configured or found on this machine
  --partners <file>      librarians of other teams, as JSON: {"partner.weather": {"keys": [{"kid": "partner.weather.1",
                         "x": "<public key>"}], "host": "127.0.0.1:9000"}} (docs/librarians.md)
  --no-helpdesk          start no local helpdesks (npx constellation ticket writes into them); without it they are connected to the
                         workspace default, unless HELPDESKS is set
  --verbose              print each function's log lines as well
  --help                 this text

  CONSTELLATION_API_KEY  the API key to use; otherwise one is made once and kept in the state folder
  UPSTASH_VECTOR_REST_URL, UPSTASH_REDIS_REST_URL, OPENAI_BASE_URL or OPENAI_API_KEY  run on these services instead of the
                         embedded adapters; with their tokens, unless they are on this machine (docs/configuration.md)
  OLLAMA_HOST            where an Ollama on this machine is looked for when no model is configured (default 127.0.0.1:11434);
                         CHAT_MODEL and EMBEDDING_MODEL name one of its models each (docs/providers.md)
  CORS_ORIGINS           origins that may call from a browser, separated by commas
  PANEL_ORIGINS          helpdesks that may show the panel for agents, separated by commas (docs/agent-panel.md)
  OIDC_PROVIDERS         identity providers whose tokens are accepted, as JSON (docs/sign-in.md)
  PRIVATE_HOSTS          hosts whose names may lead to this machine or a private network, separated by commas; the host of
                         --kb may anyway, and names of any other place may not
  CONTACT_URL            a link to people, for those who ask for one (docs/conversations.md)
  HELPDESKS              connections to helpdesk tools as JSON; the secrets that it names stand beside it (docs/helpdesks.md)
  SERPAPI_KEY, BRAVE_SEARCH_KEY  the key of a web search provider (docs/web-search.md)
`;

export interface StartOptions {
  kb: ({ folder: string } & FolderOptions) | { url: string } | { site: string } | 'sample';
  port: number;
  state: string;
  /** Place of the API key: the folder of all default states, or `state` when one is given. */
  keyFolder: string;
  fresh: boolean;
  /** Whether a state may be used that belongs to a knowledge base at another place. */
  isMoved: boolean;
  webSearch: 'local' | undefined;
  /** Whether a model may be used. */
  model: boolean;
  /** A JSON file. */
  taxonomy?: string | undefined;
  /** A JSON file. */
  partners?: string | undefined;
  /** Whether local helpdesks are started. */
  helpdesk: boolean;
  verbose: boolean;
}

/** Reads the command line. Throws an error that says what is wrong with which option. */
export function startOptions(args: string[]): StartOptions {
  const { values } = parseArgs({
    args,
    options: {
      kb: { type: 'string' },
      port: { type: 'string', default: '8787' },
      ...FOLDER_OPTIONS,
      site: { type: 'string' },
      state: { type: 'string' },
      fresh: { type: 'boolean', default: false },
      moved: { type: 'boolean', default: false },
      'web-search': { type: 'string' },
      'no-model': { type: 'boolean', default: false },
      taxonomy: { type: 'string' },
      partners: { type: 'string' },
      'no-helpdesk': { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`Cannot use --port ${values.port}: it is not a number from 0 to 65535`);
  }
  const webSearch = values['web-search'];
  if (webSearch !== undefined && webSearch !== 'local') {
    throw new Error(
      `Cannot use --web-search ${webSearch}: it can be local; other providers are chosen by their key`,
    );
  }
  if (webSearch === 'local' && values.kb !== undefined) {
    throw new Error(
      'Cannot use --web-search local with --kb: the invented shops belong to the sample knowledge base',
    );
  }
  if (values.site !== undefined && values.kb !== undefined)
    throw new Error('Cannot use --site with --kb: there is one knowledge base');
  const named = values.site === undefined ? kbOf(values.kb) : { site: siteOf(values.site) };
  const kb = withFolderOptions(named, values);
  return {
    kb,
    port,
    state: values.state ?? join(STATE_HOME, stateName(kb)),
    keyFolder: values.state ?? STATE_HOME,
    fresh: values.fresh,
    isMoved: values.moved,
    webSearch,
    model: !values['no-model'],
    taxonomy: values.taxonomy,
    partners: values.partners,
    helpdesk: !values['no-helpdesk'],
    verbose: values.verbose,
  };
}

/** Patterns and addresses belong to a folder. */
const withFolderOptions = (
  kb: StartOptions['kb'],
  values: Parameters<typeof folderOptions>[0],
): StartOptions['kb'] => {
  const given = (['include', 'exclude', 'public-url'] as const).find(
    (name) => values[name] !== undefined,
  );
  if (typeof kb === 'object' && 'folder' in kb) return { ...kb, ...folderOptions(values) };
  if (given !== undefined) throw new Error(`Cannot use --${given} without --kb <folder>`);
  return kb;
};

/** Folder of the default states. */
export const STATE_HOME = '.constellation';

/** What a knowledge base is known by: where it is. */
export function sourceOf(kb: StartOptions['kb']): string {
  if (kb === 'sample') return 'sample';
  if ('folder' in kb) return resolve(kb.folder);
  return 'url' in kb ? kb.url : kb.site;
}

/** `our-docs-3f9a1c20`: a name that people recognise, and no other knowledge base has. */
const stateName = (kb: StartOptions['kb']): string => {
  if (kb === 'sample') return 'sample';
  const source = sourceOf(kb);
  const name = 'folder' in kb ? basename(source) : new URL(source).host;
  const readable = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 40);
  return `${readable}-${createHash('sha256').update(source).digest('hex').slice(0, 8)}`;
};

const siteOf = (site: string): string => {
  if (!URL.canParse(site)) throw new Error(`Cannot use --site ${site}: it is not a URL`);
  // The settings of the function that reads it say more exactly what is wrong with an address.
  const [found] = readSources(siteVariables(site), { fetch, now: Date.now }).problems();
  if (found !== undefined)
    throw new Error(
      `Cannot use --site ${site}: ${found.problem.replace(/^Cannot read the articles: /, '')}`,
    );
  return site;
};

/** Variables of the function that reads a web site; one on this machine needs no pause between two pages. */
export function siteVariables(url: string): { ENVIRONMENT: string; ARTICLE_SOURCES: string } {
  return {
    ENVIRONMENT: 'development',
    ARTICLE_SOURCES: JSON.stringify({
      default: { tool: 'website', url, ...(isOwnAddress(url) ? { pauseMs: 0 } : {}) },
    }),
  };
}

const kbOf = (kb: string | undefined): StartOptions['kb'] => {
  if (kb === undefined) return 'sample';
  if (!/^https?:\/\//i.test(kb)) return { folder: kb };
  if (!URL.canParse(kb)) throw new Error(`Cannot use --kb ${kb}: it is not a URL`);
  return { url: kb };
};
