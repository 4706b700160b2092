import { failUsage, orUsageError } from '../../tools/command-line.ts';
import { progressOf, summariseSync } from '../../tools/run/sync-progress.ts';
import { openDeployment, progressLine } from '../../tools/transfer/deployment.ts';
import {
  folderToPush,
  PUSH_HELP as OPTIONS_HELP,
  PUSH_OPTIONS,
  pushFolder,
} from '../../tools/transfer/push-folder.ts';
import type { SyncStatus } from '../contract.ts';
import { type Command, EXIT, openCommand } from './command.ts';
import { SETTINGS_HELP } from './settings.ts';
import { clean, cleanLine, openTerminal, safeJson } from './terminal.ts';

export const SYNC_HELP = `Starts a sync of the knowledge base with its source, shows how far it is, and waits for its end.

  constellation sync [options]

  --full              list all articles, and so find what was deleted
  --force             apply deletions even of more than 30 % of the articles, and compute all embeddings again
  --status            start none: print the state, and the last report
  --json              print the report as JSON
${SETTINGS_HELP}

Examples:
  constellation sync
  constellation sync --full
  constellation sync --status --json | jq .state

Exit code: 0, 1 failed, 2 wrong command line.
`;

export const sync: Command = async (args) => {
  const { values, client } = openCommand(args, {
    help: SYNC_HELP,
    options: {
      full: { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
      status: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const out = openTerminal();
  const { show } = progressLine();
  if (values.status) {
    const status = await client.sync.status();
    out.line(values.json ? safeJson(status) : describeStatus(status));
    return EXIT.answered;
  }
  const { started } = await client.sync.start({ full: values.full, force: values.force });
  if (!started) show('a sync was running already; waiting for it\n');
  const onProgress = (status: SyncStatus): void => {
    const line = progressOf(status);
    if (line !== undefined) show(cleanLine(line));
  };
  const report = await client.sync.wait({ onProgress, pollMs: POLL_MS });
  if (process.stderr.isTTY) show('');
  const status = await client.sync.status();
  out.line(values.json ? safeJson(report) : clean(summariseSync(report, status)));
  return report.outcome === 'failed' ? EXIT.failed : EXIT.answered;
};

const POLL_MS = 500;

const describeStatus = (status: SyncStatus): string => {
  const state = cleanLine(progressOf(status) ?? status.state);
  const { last_report: report } = status;
  const last = report === null ? 'no sync has ended yet' : clean(summariseSync(report, status));
  return `${state}\n${last}${report === null ? '' : `, ended ${cleanLine(report.finished_at)}`}`;
};

export const PUSH_HELP = `Makes the articles of a deployment what a folder of Markdown, text, HTML, Word and PDF files is: writes what is new or differs,
and deletes what the folder no longer has. Drafts (draft: true or published: false in the front matter) are left out.

  constellation push [options] <folder>

${OPTIONS_HELP}
  --url <address>     the gateway (default that of the environment, of the configuration, or http://127.0.0.1:8787)
  --help              this text

Examples:
  constellation push docs
  constellation push docs --under handbook --dry-run

Articles that a sync with a knowledge host brought are never deleted. The key needs kb:read and kb:write.
Exit code: 0, 1 when a file was refused or deletions were held back, 2 wrong command line.
`;

export const push: Command = async (args) => {
  const command = openCommand(args, { help: PUSH_HELP, options: PUSH_OPTIONS, maxPositionals: 1 });
  const { values, positionals, settings } = command;
  const folder = orUsageError(() => folderToPush(positionals[0]));
  if (settings.key === undefined)
    return failUsage(`The key is missing: set CONSTELLATION_API_KEY, or run constellation login`);
  const { show, say } = progressLine();
  const deployment = openDeployment(settings, (line) => say(clean(line)));
  const isWhole = await pushFolder(deployment, folder, {
    ...values,
    show: (line) => show(cleanLine(line)),
    say: (line) => say(clean(line)),
    plan: (line) => console.log(clean(line)),
  });
  return isWhole ? EXIT.answered : EXIT.failed;
};
