import { failUsage } from '../../tools/command-line.ts';
import type { KnowledgeGapsRequest, TicketsRequest } from '../contract.ts';
import { type Command, EXIT, numberOf, openCommand } from './command.ts';
import { SETTINGS_HELP } from './settings.ts';
import { clean, cleanLine, openTerminal, safeJson } from './terminal.ts';

const LISTING = { limit: { type: 'string' }, json: { type: 'boolean', default: false } } as const;

export const SEARCH_HELP = `Searches passages of the articles, best first.

  constellation search [options] <words …>

  --limit <number>    how many, 1 to 50 (default 5)
  --intent <intent>   only articles for this intent
  --device <device>   only articles about this device
  --json              print the reply as JSON
${SETTINGS_HELP}

Examples:
  constellation search reset the password
  constellation search --limit 20 --json warranty | jq -r '.hits[].url'

Exit code: 0 found, 1 failed, 2 wrong command line, 3 nothing found.
`;

export const search: Command = async (args) => {
  const options = { ...LISTING, intent: { type: 'string' }, device: { type: 'string' } } as const;
  const { values, positionals, client } = openCommand(args, {
    help: SEARCH_HELP,
    options,
    maxPositionals: 1000,
  });
  const query = positionals.join(' ').trim();
  if (query === '') return failUsage('The words to search for are missing');
  const { intent, device } = values;
  const filter = {
    ...(intent === undefined ? {} : { intent }),
    ...(device === undefined ? {} : { device }),
  };
  const limit = numberOf(values.limit, { name: 'limit', max: 50 }) ?? 5;
  const found = await client.search({
    query,
    limit,
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
  });
  const out = openTerminal();
  if (values.json) out.line(safeJson(found));
  else
    for (const { title, heading, url, text, relevance } of found.hits) {
      const where = cleanLine(heading) === '' ? '' : ` — ${cleanLine(heading)}`;
      out.line(`${Number(relevance).toFixed(2)}  ${out.bold(out.link(title, url))}${where}`);
      out.line(`      ${shorten(cleanLine(text), 200)}\n`);
    }
  return found.hits.length === 0 ? EXIT.declined : EXIT.answered;
};

const shorten = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)} …` : text;

export const GAPS_HELP = `Lists questions that no article answers, the most frequent first.

  constellation gaps [options]

  --state <state>     open (default), closed or all
  --limit <number>    how many, 1 to 200 (default 20)
  --json              print the reply as JSON
${SETTINGS_HELP}

Examples:
  constellation gaps
  constellation gaps --state all --limit 200 --json > gaps.json

Exit code: 0, 1 failed, 2 wrong command line.
`;

export const gaps: Command = async (args) => {
  const options = { ...LISTING, state: { type: 'string' } } as const;
  const { values, client } = openCommand(args, { help: GAPS_HELP, options });
  const state = oneOf(values.state, { name: 'state', of: ['open', 'closed', 'all'] });
  const limit = numberOf(values.limit, { name: 'limit', max: 200 }) ?? 20;
  const query: Partial<KnowledgeGapsRequest> = { limit, ...(state === undefined ? {} : { state }) };
  const page = await client.gaps.list(query);
  const out = openTerminal();
  if (values.json) out.line(safeJson(page));
  else {
    for (const gap of page.gaps) {
      out.line(
        `${String(gap.count).padStart(5)}×  ${out.bold(cleanLine(gap.gap))}${gap.state === 'closed' ? ' (closed)' : ''}`,
      );
      const [example] = Array.isArray(gap.example_queries) ? gap.example_queries : [];
      if (example !== undefined) out.line(out.dim(`        ${shorten(cleanLine(example), 160)}`));
    }
    out.line(out.dim(`${page.gaps.length} of ${Number(page.total)}`));
  }
  return EXIT.answered;
};

export const TICKETS_HELP = `Lists tickets of the helpdesks by state, and retries those that failed for good.

  constellation tickets [options]

  --state <state>     dead (default: failed for good), open, done or all
  --helpdesk <tool>   only of this tool, as in the address of its webhook
  --ticket <id>       only this ticket of the helpdesk
  --limit <number>    how many, 1 to 200 (default 20)
  --replay <id>       retry this job, by the id that the list shows; more than once for several
  --json              print the reply as JSON
${SETTINGS_HELP}

Examples:
  constellation tickets
  constellation tickets --state all --helpdesk zendesk
  constellation tickets --replay zammad/17/1

Exit code: 0, 1 failed or nothing to retry, 2 wrong command line.
`;

export const tickets: Command = async (args) => {
  const { values, client } = openCommand(args, {
    help: TICKETS_HELP,
    options: {
      ...LISTING,
      state: { type: 'string' },
      helpdesk: { type: 'string' },
      ticket: { type: 'string' },
      replay: { type: 'string', multiple: true },
    },
  });
  const out = openTerminal();
  if (values.replay !== undefined) {
    const replayed = await client.tickets.replay({ ids: values.replay });
    if (values.json) out.line(safeJson(replayed));
    else {
      out.line(
        `${Number(replayed.replayed)} retried, ${Number(replayed.remaining)} failed ones left`,
      );
      for (const id of Array.isArray(replayed.unknown) ? replayed.unknown : [])
        out.line(`not retried: ${cleanLine(id)} (no job with this id has failed)`);
    }
    return replayed.replayed > 0 ? EXIT.answered : EXIT.failed;
  }
  const state = oneOf(values.state, { name: 'state', of: ['open', 'done', 'dead', 'all'] });
  const { helpdesk, ticket } = values;
  const query: Partial<TicketsRequest> = {
    limit: numberOf(values.limit, { name: 'limit', max: 200 }) ?? 20,
    ...(state === undefined ? {} : { state }),
    ...(helpdesk === undefined ? {} : { helpdesk }),
    ...(ticket === undefined ? {} : { ticket_id: ticket }),
  };
  const page = await client.tickets.list(query);
  if (values.json) out.line(safeJson(page));
  else {
    for (const job of page.tickets) {
      const parts = [
        clean(job.changed_at).slice(0, 19),
        cleanLine(job.state),
        cleanLine(job.result ?? '-'),
      ];
      out.line(`${parts.join('  ')}  ${out.bold(cleanLine(job.id))}`);
      if (job.last_error !== null) out.line(out.dim(`    ${cleanLine(job.last_error)}`));
      if (job.reason !== undefined)
        out.line(out.dim(`    nothing written: ${cleanLine(job.reason)}`));
    }
    out.line(out.dim(`${page.tickets.length} of ${Number(page.total)}`));
  }
  return EXIT.answered;
};

const oneOf = <const Value extends string>(
  text: string | undefined,
  { name, of }: { name: string; of: readonly Value[] },
): Value | undefined =>
  text === undefined
    ? undefined
    : (of.find((each) => each === text) ??
      failUsage(`--${name} has to be one of ${of.join(', ')}`));
