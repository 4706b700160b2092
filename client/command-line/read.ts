import { failUsage, readCommandLine } from '../../tools/command-line.ts';
import { type Command, EXIT } from './command.ts';
import { type ArticlePreview, previewArticle } from './preview-article.ts';
import { clean, cleanLine, openTerminal, safeJson, type Terminal } from './terminal.ts';

export const READ_HELP = `Prints what a file or a web page becomes as an article: title, address, language, dates and text, and what was left out and why.

  constellation read [options] <file or URL>

  --json              print it as JSON
  --help              this text

Nothing is stored, no key is needed, and nothing that the document names is fetched. A URL is read as a sync of its site
would, a file as one of a folder.

Examples:
  constellation read docs/install.mdx
  constellation read https://docs.example.com/install
  constellation read --json manual.pdf | jq -r .text

Exit code: 0, 1 cannot be read, 2 wrong command line.
`;

export const read: Command = async (args) => {
  const options = { json: { type: 'boolean', default: false } } as const;
  const { values, positionals } = readCommandLine(READ_HELP, { options, maxPositionals: 1, args });
  const [source = ''] = positionals;
  if (source === '') return failUsage('The file or URL to read is missing');
  const preview = await previewArticle(source);
  const out = openTerminal();
  if (values.json) out.line(safeJson(preview));
  else print(preview, out);
  return EXIT.answered;
};

const WIDTH = 10;

const print = (preview: ArticlePreview, out: Terminal): void => {
  const facts: [string, string | null | undefined][] = [
    ['title', preview.title],
    ['id', preview.id],
    ['address', preview.url ?? 'none of its own'],
    ['language', preview.language ?? 'in doubt'],
    ['changed', preview.last_updated ?? 'not known'],
    ['author', preview.author],
    ['intents', preview.intents.join(', ')],
    ['devices', preview.devices.join(', ')],
    ['audiences', preview.audiences?.join(', ')],
  ];
  for (const [name, value] of facts)
    if (value) out.line(`${out.dim(name.padEnd(WIDTH))}${cleanLine(value)}`);
  out.line(`\n${clean(preview.text)}\n`);
  const leftOut = preview.left_out.map(
    ({ count, why, samples: [sample = ''] }) =>
      `${String(count).padStart(6)}  ${why}${sample === '' ? '' : `: ${cleanLine(sample)}`}`,
  );
  out.line(out.bold(leftOut.length === 0 ? 'Nothing was left out.' : 'Left out:'));
  for (const line of leftOut) out.line(line);
  for (const warning of preview.warnings) out.line(`warning: ${cleanLine(warning)}`);
};
