#!/usr/bin/env node
/** `npx constellation`: the command line. */
import './node-20.ts';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHECKOUT_COMMANDS } from '../../tools/checkout-commands.ts';
import { failUsage, IS_PUBLISHED } from '../../tools/command-line.ts';
import manifest from '../package.json' with { type: 'json' };
import { DOCTOR_HELP, doctor, LOGIN_HELP, login } from './access.ts';
import { ASK_HELP, ask, CHAT_HELP, chat } from './ask.ts';
import { CHECK_HELP, check } from './check.ts';
import { type Command, describeError, EXIT } from './command.ts';
import { PUSH_HELP, push, SYNC_HELP, sync } from './knowledge.ts';
import { GAPS_HELP, gaps, SEARCH_HELP, search, TICKETS_HELP, tickets } from './lists.ts';
import { MCP_HELP, mcp } from './mcp.ts';
import { READ_HELP, read } from './read.ts';
import { refuseOldNode } from './start-folder.ts';

const COMMANDS: Record<string, { run: Command; help: string }> = {
  ask: { run: ask, help: ASK_HELP },
  chat: { run: chat, help: CHAT_HELP },
  search: { run: search, help: SEARCH_HELP },
  sync: { run: sync, help: SYNC_HELP },
  push: { run: push, help: PUSH_HELP },
  read: { run: read, help: READ_HELP },
  gaps: { run: gaps, help: GAPS_HELP },
  check: { run: check, help: CHECK_HELP },
  tickets: { run: tickets, help: TICKETS_HELP },
  mcp: { run: mcp, help: MCP_HELP },
  doctor: { run: doctor, help: DOCTOR_HELP },
  login: { run: login, help: LOGIN_HELP },
};

/** Commands that are scripts: all of them in a checkout, and what is published of them beside this file. */
const SCRIPTS = Object.fromEntries(
  Object.entries(CHECKOUT_COMMANDS)
    .filter(([, { isPublished }]) => !IS_PUBLISHED || isPublished)
    .map(([command, { file, about }]) => {
      const place = IS_PUBLISHED ? `./${basename(file, '.ts')}.js` : `../../${file}`;
      return [command, { url: new URL(place, import.meta.url), about }];
    }),
);

/** Runs a script, which reads the options as if it had been started by itself. */
async function runScript(url: URL): Promise<void> {
  refuseOldNode(name);
  process.argv.splice(1, 2, fileURLToPath(url));
  await import(url.href);
}

const linesOf = (commands: readonly (readonly [string, string])[]): string =>
  commands.map(([command, about]) => `  ${command.padEnd(14)}${about}`).join('\n');

const linesOfScripts = (): string => {
  const lines = linesOf(Object.entries(SCRIPTS).map(([command, { about }]) => [command, about]));
  return `${IS_PUBLISHED ? 'On this machine:' : 'In a checkout, also:'}\n${lines}\n`;
};

const HELP = `Answers from your own knowledge base, with a source for every statement.

  constellation <command> [options]

${linesOf(Object.entries(COMMANDS).map(([command, { help }]) => [command, /^[^.:;]*/.exec(help)?.[0] ?? '']))}

${linesOfScripts()}
  constellation <command> --help shows its options with examples; --version the version.

Examples:
  constellation start --kb docs
  constellation login --url https://answers.example.com
  constellation ask How long does shipping to Canada take?
  constellation push docs

Address and key come from CONSTELLATION_URL and CONSTELLATION_API_KEY, or from what constellation login wrote.
Exit codes: 0 answered or done, 1 failed, 2 wrong command line, 3 no article answers it.
`;

const [name = '', ...args] = process.argv.slice(2);
// A reader that has seen enough, such as head.
process.stdout.on('error', () => process.exit(EXIT.failed));

if (name === '--version') console.log(manifest.version);
else if (name === '' || name === '--help' || name === '-h' || name === 'help') {
  console.log(HELP.trimEnd());
  if (name === '') process.exitCode = 2;
} else {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const script = Object.hasOwn(SCRIPTS, name) ? SCRIPTS[name] : undefined;
  if (script !== undefined) await runScript(script.url);
  else if (command === undefined)
    failUsage(`There is no command ${JSON.stringify(name.slice(0, 40))}`);
  else
    try {
      process.exitCode = await command.run(args);
    } catch (error) {
      console.error(describeError(error));
      process.exitCode = EXIT.failed;
    }
}
