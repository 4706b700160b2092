import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Constellation } from '../constellation.ts';
import { ConstellationError } from '../constellation-error.ts';
import { type Command, clientOf, describeError, EXIT, openCommand } from './command.ts';
import { SETTINGS_HELP, writeSettings } from './settings.ts';
import { cleanLine, openTerminal } from './terminal.ts';

export const LOGIN_HELP = `Asks for an API key, tries it, and writes it with the address into the configuration, for you alone (mode 0600):
$XDG_CONFIG_HOME/constellation/config.json, by default in ~/.config.

  constellation login [options]

${SETTINGS_HELP}

Examples:
  constellation login --url https://answers.example.com
  constellation login < key.txt

Exit code: 0, 1 when the key was refused, 2 wrong command line.
`;

export const login: Command = async (args) => {
  const { settings } = openCommand(args, { help: LOGIN_HELP, options: {} });
  const key = (await readSecret(`API key for ${settings.url}: `)).trim();
  if (key === '') throw new Error('Cannot sign in: no key was given');
  const { url, workspace } = settings;
  const { librarians } = await clientOf({ url, key, workspace }).librarians();
  const path = writeSettings({ url, key, ...(workspace === undefined ? {} : { workspace }) });
  console.log(`The key holds: ${librarians.length} librarians answer. Wrote ${path}`);
  return EXIT.answered;
};

/** A line of standard input; on a terminal it is not shown. */
const readSecret = async (prompt: string): Promise<string> => {
  const isTerminal = process.stdin.isTTY === true;
  if (isTerminal) process.stderr.write(prompt);
  const silent = new Writable({ write: (_, __, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal });
  const line = await new Promise<string>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(''));
  });
  lines.close();
  if (isTerminal) process.stderr.write('\n');
  return line;
};

export const DOCTOR_HELP = `Checks address, key and deployment, one line each, and says what to do about what is wrong.

  constellation doctor [options]

${SETTINGS_HELP}

Examples:
  constellation doctor
  constellation doctor --url https://answers.example.com

Exit code: 0, 1 when something is wrong, 2 wrong command line.
`;

export const doctor: Command = async (args) => {
  const { settings, client } = openCommand(args, { help: DOCTOR_HELP, options: {} });
  const out = openTerminal();
  let wrong = 0;
  const check = async (what: string, examine: () => Promise<string> | string): Promise<boolean> => {
    try {
      out.line(`ok     ${what.padEnd(15)} ${cleanLine(await examine())}`);
      return true;
    } catch (error) {
      wrong += 1;
      out.line(`${out.bold('WRONG')}  ${what.padEnd(15)} ${describeError(error)}`);
      return false;
    }
  };
  await check('address', () => `${settings.url} (${settings.origin.url})`);
  const isThere = await check('deployment', () => describeHealth(client));
  const hasKey = await check('key', () => {
    if (settings.key === undefined) throw new Error(settings.origin.key);
    return `of ${settings.origin.key}`;
  });
  if (isThere && hasKey) {
    await check('librarians', async () => {
      const { librarians } = await client.librarians();
      return librarians.map(({ id, health }) => `${id} ${health}`).join(', ');
    });
    await check('knowledge', () => describeKnowledge(client));
  }
  out.line(wrong === 0 ? '\nNothing is wrong.' : `\n${wrong} wrong.`);
  return wrong === 0 ? EXIT.answered : EXIT.failed;
};

const describeHealth = async (client: Constellation): Promise<string> => {
  const { status, version, adapters } = await client.health();
  const parts = Object.entries(adapters).map(([role, adapter]) => `${role} ${adapter}`);
  return [`${status}${version === undefined ? '' : `, version ${version}`}`, ...parts].join(', ');
};

const describeKnowledge = async (client: Constellation): Promise<string> => {
  const {
    edition,
    articles,
    chunks,
    last_report: report,
  } = await client.sync.status().catch((error: unknown) => {
    if (error instanceof ConstellationError && error.code === 'UNAUTHORIZED')
      throw new Error(`the key may not read the knowledge base: ${describeError(error)}`);
    throw error;
  });
  if (edition === null)
    throw new Error(
      'there is no edition yet: run constellation sync, or constellation push <folder>',
    );
  if (report?.outcome === 'failed')
    throw new Error(`the last sync failed: ${report.error?.message ?? 'no reason given'}`);
  return `${articles} articles, ${chunks} passages, edition ${edition}`;
};
