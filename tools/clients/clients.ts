/** `npx constellation clients`: tries clients of other makers, in named versions, on a product on this machine. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../src/contract/core/json-object.ts';
import { fail, readCommandLine } from '../command-line.ts';
import { ROOT } from '../functions.ts';
import { type Product, startProduct } from '../run/product.ts';
import clients from './clients.json' with { type: 'json' };

const HELP = `Tries clients of other makers on a product that it starts on this machine, and prints a table: client, version, tried, right.
Each client is installed in the version that tools/clients/clients.json names, in a folder of its own: npm packages without
their install scripts, Python packages in a virtual environment. Ends with 1 when something is not right.

  npx constellation clients [options]

  --only <text>      only clients whose interface, name or version has this text, such as MCP or openai; may be repeated
  --folder <folder>  where to install them; they stay there for the next run (default: a temporary folder)
  --minutes <number> end after this time; what was not tried until then is named (default 40)
  --write            also write what was measured into the table of docs/clients.md
  --help             this text
`;

const { values } = readCommandLine(HELP, {
  options: {
    only: { type: 'string', multiple: true, default: [] },
    folder: { type: 'string' },
    minutes: { type: 'string', default: '40' },
    write: { type: 'boolean', default: false },
  },
});

const Client = z.strictObject({
  interface: z.enum(['MCP', 'OpenAI', 'A2A', 'OpenAPI']),
  client: z.string(),
  version: z.string(),
  registry: z.enum(['npm', 'pypi']).default('npm'),
  /** How it is used, for clients that have several ways. */
  mode: z.string().default(''),
  /** Packages that it needs beside it. */
  with: z.array(z.string()).default([]),
  /** A file of `drivers`. */
  driver: z.string(),
  /** Actions that are known to go wrong, and why. */
  explained: z.record(z.string(), z.string()).default({}),
});
type Client = z.infer<typeof Client>;

const CLIENTS = z.array(Client).parse(clients);

/** What a driver prints of an action. */
const Action = z.object({ tried: z.string(), problem: z.string().optional() });
type Action = z.infer<typeof Action>;

const INSTALL_MS = 300_000;
const DRIVER_MS = 240_000;
const PAGE = join(ROOT, 'docs/clients.md');

const folderOf = ({ registry, client, version, with: more }: Client): string =>
  createHash('sha256')
    .update([registry, client, version, ...more].join(' '))
    .digest('hex')
    .slice(0, 12);

const nameOf = ({ client, version, mode }: Client): string =>
  `${client} ${version}${mode && ` (${mode})`}`;

/** Runs a command to its end and returns what it printed; ends its whole group of processes when the time is over. */
const run = (
  command: readonly string[],
  { cwd, env = {}, timeoutMs }: { cwd: string; env?: Record<string, string>; timeoutMs: number },
): Promise<{ code: number | null; stdout: string; stderr: string }> =>
  new Promise((resolveRun, reject) => {
    const [program = '', ...args] = command;
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, detached: true });
    running.add(child.pid ?? 0);
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        printed[name] = (printed[name] + text).slice(-1_000_000);
      });
    const timer = setTimeout(() => endGroup(child.pid), timeoutMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      // What it started and left behind.
      endGroup(child.pid);
      running.delete(child.pid ?? 0);
      resolveRun({ code, ...printed });
    });
  });

/** Groups of processes that this command has started. */
const running = new Set<number>();
const endGroup = (pid: number | undefined): void => {
  if (!pid) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
};
process.once('exit', () => {
  for (const pid of running) endGroup(pid);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** Installs a client where it is not yet, and returns what went wrong. */
const install = async (client: Client, folder: string): Promise<string | undefined> => {
  const done = join(folder, 'installed');
  if (existsSync(done)) return undefined;
  await mkdir(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  for (const command of installCommands(client)) {
    const { code, stdout, stderr } = await run(command, { cwd: folder, timeoutMs: INSTALL_MS });
    if (code !== 0) return `not installed: ${lastLines(stderr || stdout) || `ended with ${code}`}`;
  }
  writeFileSync(done, '');
  return undefined;
};

const installCommands = ({ registry, client, version, with: more }: Client): string[][] =>
  registry === 'npm'
    ? [
        [
          'npm',
          'install',
          '--ignore-scripts',
          '--no-audit',
          '--no-fund',
          `${client}@${version}`,
          ...more,
        ],
      ]
    : [
        ['python3', '-m', 'venv', 'python'],
        [
          'python/bin/pip',
          'install',
          '--quiet',
          '--retries',
          '0',
          `${client}==${version}`,
          ...more,
        ],
      ];

const lastLines = (text: string): string =>
  text.trim().split('\n').slice(-2).join(' ').slice(0, 300);

/** Runs the driver of a client, and returns what it reports. */
const tryClient = async (
  client: Client,
  folder: string,
  { url, key }: Product,
): Promise<Action[]> => {
  cpSync(join(import.meta.dirname, 'drivers'), folder, { recursive: true });
  const { driver, mode } = client;
  const program = driver.endsWith('.py')
    ? ['python/bin/python', driver]
    : [process.execPath, driver];
  const { code, stdout, stderr } = await run(program, {
    cwd: folder,
    timeoutMs: DRIVER_MS,
    env: {
      CONSTELLATION_URL: url.origin,
      CONSTELLATION_API_KEY: key,
      CLIENT: `${client.client} ${client.version}`,
      CLIENT_MODE: mode,
    },
  });
  // Some clients print lines of their own.
  const actions = stdout.split('\n').flatMap((line) => {
    const action = line.startsWith('{"tried"') ? Action.safeParse(parseJson(line)) : undefined;
    return action?.success ? [action.data] : [];
  });
  if (code === 0 && actions.length > 0) return actions;
  return [...actions, { tried: 'to the end', problem: `ended with ${code}: ${lastLines(stderr)}` }];
};

interface Row {
  client: Client;
  actions: Action[];
}

/** What stands in the column "right". */
const verdictOf = ({ client: { explained }, actions }: Row): string => {
  const wrong = actions.filter(({ problem }) => problem !== undefined);
  const right = actions.length - wrong.length;
  if (wrong.length === 0) return `yes, ${right} of ${actions.length}`;
  const reasons = wrong.map(({ tried, problem }) => `${tried}: ${explained[tried] ?? problem}`);
  return `${right} of ${actions.length}; ${reasons.join('; ')}`
    .replaceAll('|', '\\|')
    .replaceAll(/\s+/g, ' ');
};

const isRight = ({ client: { explained }, actions }: Row): boolean =>
  actions.every(
    ({ tried, problem }) => (problem === undefined) === (explained[tried] === undefined),
  );

const HEADER = [
  '| interface | client | version | tried | right | measured |',
  '| --- | --- | --- | --- | --- | --- |',
];

/** What a row begins with: a client has one row. */
const startOf = ({ interface: kind, registry, client, version, mode }: Client): string => {
  const name = registry === 'pypi' ? `\`${client}\` (Python)` : `\`${client}\``;
  return `| ${kind} | ${name}${mode && `, \`${mode}\``} | ${version} |`;
};

const rowOf = (row: Row): string => {
  const tried = row.actions.map((action) => action.tried).join(', ');
  return `${startOf(row.client)} ${tried} | ${verdictOf(row)} | ${new Date().toISOString().slice(0, 10)}, ${VERSION} |`;
};

const VERSION = z
  .object({ version: z.string() })
  .parse(parseJson(readFileSync(join(ROOT, 'package.json'), 'utf8'))).version;

const MARKS = {
  start: '<!-- npx constellation clients --write -->',
  end: '<!-- end of the table -->',
};

/** Puts rows into the table of the page, in the order of the list; rows of clients that were not tried stay. */
const writePage = (rows: readonly Row[]): void => {
  const page = readFileSync(PAGE, 'utf8');
  const [before = '', rest] = page.split(MARKS.start);
  const [table, after] = rest?.split(MARKS.end) ?? [];
  if (table === undefined || after === undefined)
    throw new Error(`Cannot write ${PAGE}: it has no ${MARKS.start}`);
  const lines = CLIENTS.flatMap((client) => {
    const row = rows.find((each) => each.client === client);
    const line = row
      ? rowOf(row)
      : table.split('\n').find((each) => each.startsWith(startOf(client)));
    return line === undefined ? [] : [line];
  });
  writeFileSync(
    PAGE,
    `${before}${[MARKS.start, ...HEADER, ...lines, MARKS.end].join('\n')}${after}`,
  );
};

const endsAt = Date.now() + Number(values.minutes) * 60_000;
if (Number.isNaN(endsAt)) fail(`Cannot use --minutes ${values.minutes}: it is not a number`);
const isNamed = (client: Client, text: string): boolean =>
  `${client.interface} ${nameOf(client)}`.includes(text);
const unknown = values.only.find((text) => !CLIENTS.some((client) => isNamed(client, text)));
if (unknown !== undefined)
  fail(`Cannot use --only ${unknown}: no client of tools/clients/clients.json has this text`);
const selection = CLIENTS.filter(
  (client) => values.only.length === 0 || values.only.some((text) => isNamed(client, text)),
);

const home =
  values.folder === undefined ? await mkdtemp(join(tmpdir(), 'clients-')) : resolve(values.folder);
const product = await startProduct({ kb: 'sample', port: 0 });
const rows: Row[] = [];
try {
  await product.sync({ full: true });
  for (const client of selection) {
    const folder = join(home, folderOf(client));
    const left = endsAt - Date.now();
    const problem = left <= 0 ? 'not tried: the time was over' : await install(client, folder);
    const actions =
      problem === undefined
        ? await tryClient(client, folder, product)
        : [{ tried: 'nothing', problem }];
    const row = { client, actions };
    rows.push(row);
    console.error(`${nameOf(client)}: ${verdictOf(row)}`);
    if (values.write) writePage(rows);
  }
} finally {
  await product.stop();
  if (values.folder === undefined) await rm(home, { recursive: true, force: true });
}
console.log([...HEADER, ...rows.map(rowOf)].join('\n'));
const right = rows.filter(isRight).length;
console.log(`\n${right} of ${rows.length} right or explained`);
process.exit(right === rows.length ? 0 : 1);
