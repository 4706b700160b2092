import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { idAsWords } from '../../src/language/id-as-words.ts';
import { failUsage } from '../../tools/command-line.ts';
import { progressLine } from '../../tools/transfer/deployment.ts';
import type { CallOptions } from '../connection.ts';
import type { Constellation } from '../constellation.ts';
import { ConstellationError } from '../constellation-error.ts';
import type { AskRequest, LibrarianResponse, Source } from '../contract.ts';
import { type Command, describeError, EXIT, type Exit, openCommand } from './command.ts';
import { SETTINGS_HELP } from './settings.ts';
import { clean, cleanLine, openTerminal, safeJson } from './terminal.ts';

const OPTIONS = {
  librarian: { type: 'string' },
  conversation: { type: 'string' },
} as const;
const DETAILS = ['statements', 'navigator', 'trace', 'why'] as const;

const OPTIONS_HELP = `  --librarian <id>    ask this one instead of whoever knows best
  --conversation <id> read the question together with those before it`;

export const ASK_HELP = `Asks a question and prints each statement as soon as it has been checked, then its sources.

  constellation ask [options] <question …>

${OPTIONS_HELP}
  --json              print the response as JSON
  --include <details> with --json: ${DETAILS.join(', ')}, separated by commas
${SETTINGS_HELP}

Examples:
  constellation ask How long does shipping to Canada take?
  constellation ask --json "How loud is it?" | jq .sources
  constellation ask --librarian analytics "How many are in stock?"

Exit code: 0 answered, 1 failed, 2 wrong command line, 3 no article answers it.
`;

export const ask: Command = async (args) => {
  const options = {
    ...OPTIONS,
    json: { type: 'boolean', default: false },
    include: { type: 'string' },
  } as const;
  const { values, positionals, client } = openCommand(args, {
    help: ASK_HELP,
    options,
    maxPositionals: 1000,
  });
  const query = positionals.join(' ').trim();
  if (query === '') return failUsage('The question is missing');
  const question = requestOf(query, values);
  const include = detailsOf(values.include);
  if (include === undefined || (include.length > 0 && !values.json))
    return failUsage(
      `--include goes with --json and takes ${DETAILS.join(', ')}, separated by commas`,
    );
  if (!values.json) return show(client, question);
  const response = await client.ask({ ...question, include });
  console.log(safeJson(response));
  return exitOf(response);
};

/** Undefined when one of them is unknown. */
const detailsOf = (listed = ''): (typeof DETAILS)[number][] | undefined => {
  const names = listed.split(',').flatMap((name) => name.trim() || []);
  const details = DETAILS.filter((each) => names.includes(each));
  return names.every((name) => details.some((each) => each === name)) ? details : undefined;
};

const requestOf = (
  query: string,
  {
    librarian,
    conversation,
  }: { librarian?: string | undefined; conversation?: string | undefined },
): AskRequest => ({
  query,
  ...(librarian === undefined ? {} : { librarian }),
  ...(conversation === undefined ? {} : { conversation_id: conversation }),
});

/** Finding nothing has no sources; an agent's answer may have none either, but is not partial. */
const exitOf = ({ answer, sources = [], partial }: LibrarianResponse): Exit =>
  answer === undefined
    ? EXIT.failed
    : sources.length === 0 && partial === true
      ? EXIT.declined
      : EXIT.answered;

/** Prints an answer as it arrives. */
const show = async (
  client: Constellation,
  question: AskRequest,
  options: CallOptions = {},
): Promise<Exit> => {
  const out = openTerminal();
  const progress = progressLine();
  const isWatched = process.stderr.isTTY === true && out.isTerminal;
  const report = (line: string): void => (isWatched ? progress.show(cleanLine(line)) : undefined);
  const clear = (): void => (isWatched ? progress.show('') : undefined);
  /** Names of librarians by their ids. */
  const names: Record<string, string> = {};
  let shown = 0;
  let withdrawn = 0;
  try {
    for await (const event of client.askStream(question, options)) {
      if (event.type === 'routing') {
        for (const { id, name } of event.librarians) if (name !== undefined) names[id] = name;
        report(
          `asking ${event.librarians.map(({ id, name }) => name ?? idAsWords(id)).join(', ')} …`,
        );
      }
      if (event.type === 'searching') report('searching …');
      if (event.type === 'passages') report(`reading ${event.passages.length} passages …`);
      if (event.type === 'statement') {
        clear();
        shown += 1;
        out.line(`${clean(event.text)}\n`);
        if (event.reported_by !== undefined) out.line(`${reportedBy(names, event.reported_by)}\n`);
      }
      if (event.type === 'removed' && event.index !== undefined) {
        withdrawn += 1;
        out.line(out.dim(`(withdrawn: ${cleanLine(event.text)})\n`));
      }
      if (event.type !== 'done') continue;
      clear();
      const { answer, error } = event.response;
      // Without statements, or with one less, the answer itself is what counts.
      if (answer !== undefined && (shown === 0 || withdrawn > 0)) {
        out.line(`${clean(answer)}\n`);
        const { reported_by: reporter, reporters } = event.response.metadata ?? {};
        if (typeof reporter === 'string') out.line(`${reportedBy(reporters, reporter)}\n`);
      }
      showSources(event.response);
      if (error !== undefined && answer === undefined)
        out.line(cleanLine(`${error.code}: ${error.message}`));
      return exitOf(event.response);
    }
  } finally {
    clear();
  }
  return EXIT.failed;
};

const showSources = ({ sources = [], confidence, partial, metadata }: LibrarianResponse): void => {
  const out = openTerminal();
  const list = (title: string, listed: readonly Partial<Source>[]): void => {
    if (listed.length === 0) return;
    out.line(out.bold(title));
    for (const source of listed) out.line(`  ${out.link(nameOf(source, metadata), source.url)}`);
  };
  if (partial === true && sources.length > 0)
    out.line('It is not sure that this answers the whole question.\n');
  list('Sources', sources);
  const closest: unknown[] = Array.isArray(metadata?.closest) ? metadata.closest : [];
  const isPlace = (each: unknown): each is Partial<Source> =>
    typeof each === 'object' && each !== null;
  if (partial === true) list('Closest articles', closest.filter(isPlace));
  if (typeof confidence === 'number') out.line(out.dim(`confidence ${confidence.toFixed(2)}`));
};

const nameOf = (
  source: Partial<Source> & { title?: unknown },
  metadata: LibrarianResponse['metadata'],
): string => {
  const name = clean(source.name ?? source.title);
  const { reported_by: reporter } = source;
  return reporter === undefined
    ? name
    : `${name} (reported by ${reporterIn(metadata?.reporters, reporter)})`;
};

const reportedBy = (names: unknown, id: string): string =>
  `Reported by ${reporterIn(names, id)}, not checked here.`;

/** The name of an external librarian, among names by ids. */
const reporterIn = (names: unknown, id: string): string => {
  const isNamed = typeof names === 'object' && names !== null && Object.hasOwn(names, id);
  return cleanLine(isNamed ? (names as Record<string, unknown>)[id] : idAsWords(id));
};

export const CHAT_HELP = `A conversation: each question is read together with those before it. Ends with Ctrl-D, /exit, or the end of the input; Ctrl-C
stops an answer.

  constellation chat [options]

  --librarian <id>    ask this one instead of whoever knows best
  --conversation <id> continue this one (default a new one); its turns are stored as memories of the workspace
${SETTINGS_HELP}

Examples:
  constellation chat
  constellation chat --conversation order-4711 < questions.txt

Exit code: 0 when the last question was answered, 1 when it failed, 2 wrong command line, 3 no article answers it.
`;

export const chat: Command = async (args) => {
  const { values, client } = openCommand(args, { help: CHAT_HELP, options: OPTIONS });
  const conversation = values.conversation ?? `cli-${randomUUID()}`;
  const out = openTerminal();
  const isInteractive = process.stdin.isTTY === true && out.isTerminal;
  const lines = createInterface({
    input: process.stdin,
    ...(isInteractive ? { output: process.stdout } : {}),
  });
  lines.setPrompt(out.bold('> '));
  let answering: AbortController | undefined;
  lines.on('SIGINT', () => (answering === undefined ? lines.close() : answering.abort()));
  let exit: Exit = EXIT.answered;
  if (isInteractive) lines.prompt();
  for await (const line of lines) {
    const query = line.trim();
    if (query === '/exit') break;
    if (query !== '') {
      answering = new AbortController();
      try {
        exit = await show(client, requestOf(query, { ...values, conversation }), {
          signal: answering.signal,
        });
      } catch (error) {
        exit = EXIT.failed;
        if (!(error instanceof ConstellationError && error.code === 'ABORTED'))
          console.error(describeError(error));
        else out.line();
      }
      answering = undefined;
      out.line();
    }
    if (isInteractive) lines.prompt();
  }
  lines.close();
  return exit;
};
