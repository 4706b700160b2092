#!/usr/bin/env node
/** `npx constellation`: the command line. */
import './node-20.ts';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { failUsage } from '../../tools/command-line.ts';
import manifest from '../package.json' with { type: 'json' };
import { DOCTOR_HELP, doctor, LOGIN_HELP, login } from './access.ts';
import { ASK_HELP, ask, CHAT_HELP, chat } from './ask.ts';
import { CHECK_HELP, check } from './check.ts';
import { type Command, describeError, EXIT } from './command.ts';
import { PUSH_HELP, push, SYNC_HELP, sync } from './knowledge.ts';
import { GAPS_HELP, gaps, SEARCH_HELP, search, TICKETS_HELP, tickets } from './lists.ts';
import { MCP_HELP, mcp } from './mcp.ts';
import { READ_HELP, read } from './read.ts';

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

/** The root of a checkout; the published command line has none. */
const CHECKOUT = new URL('../../', import.meta.url);
const CHECKOUT_LIST = new URL('tools/checkout-commands.ts', CHECKOUT);
const isCheckout = [CHECKOUT_LIST, new URL('client/package.json', CHECKOUT)].every((file) =>
  existsSync(fileURLToPath(file)),
);
const checkoutCommands: Readonly<Record<string, { file: string; about: string }>> = isCheckout
  ? (await import(CHECKOUT_LIST.href)).CHECKOUT_COMMANDS
  : {};

const ofCheckout = (): string => {
  const lines = Object.entries(checkoutCommands).map(
    ([command, { about }]) => `  ${command.padEnd(10)}${about}`,
  );
  return lines.length === 0 ? '' : `\nIn a checkout, also:\n${lines.join('\n')}\n`;
};

const HELP = `Answers from your own knowledge base, with a source for every statement.

  constellation <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { help }]) => `  ${name.padEnd(10)}${/^[^.:;]*/.exec(help)?.[0] ?? ''}`)
  .join('\n')}
${ofCheckout()}
  constellation <command> --help shows its options with examples; --version the version.

Examples:
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
  const script = Object.hasOwn(checkoutCommands, name) ? checkoutCommands[name] : undefined;
  if (command === undefined && script !== undefined) {
    // The file reads the options as if it had been started by itself.
    process.argv.splice(1, 2, fileURLToPath(new URL(script.file, CHECKOUT)));
    await import(new URL(script.file, CHECKOUT).href);
  } else if (command === undefined)
    failUsage(`There is no command ${JSON.stringify(name.slice(0, 40))}`);
  else
    try {
      process.exitCode = await command.run(args);
    } catch (error) {
      console.error(describeError(error));
      process.exitCode = EXIT.failed;
    }
}
