/** `npx constellation export`: writes what a workspace holds into a file. */
import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WorkspaceId } from '../../src/contract/core/names.ts';
import { ArticleListing } from '../../src/contract/wire/host-article.ts';
import { MemoryPage } from '../../src/contract/wire/memory.ts';
import { EXPORT_VERSION, type ExportLine, GapRecordPage } from '../../src/contract/wire/moving.ts';
import { TicketsResponse } from '../../src/contract/wire/tickets.ts';
import { fail, orUsageError, readCommandLine } from '../command-line.ts';
import {
  DEPLOYMENT_HELP,
  DEPLOYMENT_OPTIONS,
  type Deployment,
  openDeployment,
  progressLine,
  readSettings,
  readTaxonomy,
} from './deployment.ts';
import { PARTS_HELP, type Part, partsOf } from './export-file.ts';

const HELP = `Writes articles, taxonomy, memories, templates and rankers, gaps and tickets of a workspace into a file of JSON lines; npx constellation import restores them.

  npx constellation export --workspace <id> --out <file or folder> [options]

  --workspace <id>    the workspace
  --out <path>        the file, or a folder for <workspace>.jsonl. It holds personal data, and only its owner may read it
${PARTS_HELP}
${DEPLOYMENT_HELP}
  --help              this text

The key needs kb:read for articles, support:analyze for the taxonomy, memory:read for memories and settings, kb:write for gaps and
helpdesk:write for tickets; and all audiences (--audience '*' when it is made): what it may not read is not exported.
`;

const { values } = readCommandLine(HELP, {
  options: { ...DEPLOYMENT_OPTIONS, out: { type: 'string' }, only: { type: 'string' } },
});
const { workspace, out, parts } = orUsageError(() => {
  const named = WorkspaceId.safeParse(values.workspace);
  if (!named.success)
    throw new Error(`Cannot export: --workspace ${named.error.issues[0]?.message ?? 'is missing'}`);
  if (!values.out) throw new Error('Cannot export: --out is missing');
  return {
    workspace: named.data,
    out: fileOf(values.out, named.data),
    parts: partsOf(values.only),
  };
});
const { show, say } = progressLine();

await main().catch((error: unknown) =>
  fail(error instanceof Error ? error.message : String(error)),
);

async function main(): Promise<void> {
  const deployment = openDeployment({ ...values, workspace }, say);
  mkdirSync(dirname(out), { recursive: true });
  // A file of that name is complete, whatever happens.
  const unfinished = `${out}.unfinished`;
  const file = openSync(unfinished, 'w', 0o600);
  try {
    let lines = 0;
    const write = (line: ExportLine): void => {
      writeSync(file, `${JSON.stringify(line)}\n`);
      lines += 1;
    };
    write({
      kind: 'export',
      version: EXPORT_VERSION,
      workspace,
      exported_at: new Date().toISOString(),
    });
    for (const part of parts) {
      const before = lines;
      for await (const line of read(part, deployment)) {
        write(line);
        show(`${part}: ${lines - before}`);
      }
      say(`${part}: ${lines - before}`);
    }
    write({ kind: 'end', lines: lines + 1 });
    closeSync(file);
    renameSync(unfinished, out);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  say(`wrote ${out}`);
}

function fileOf(path: string, workspaceId: string): string {
  const isFolder = path.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? join(path, `${workspaceId}.jsonl`) : path;
}

async function* read(part: Part, deployment: Deployment): AsyncGenerator<ExportLine> {
  switch (part) {
    case 'articles':
      for await (const { articles } of deployment.pages(
        '/api/kb/articles?limit=500',
        ArticleListing,
      ))
        for (const data of articles) yield { kind: 'article', data };
      return;
    case 'taxonomy': {
      const taxonomy = await readTaxonomy(deployment);
      if (taxonomy !== undefined) yield { kind: 'taxonomy', data: taxonomy };
      return;
    }
    case 'memories': {
      const path = `/v1/workspaces/${workspace}/memories?limit=50&relations=true`;
      for await (const { memories } of deployment.pages(path, MemoryPage))
        for (const data of memories) yield { kind: 'memory', data };
      return;
    }
    case 'settings':
      for (const data of await readSettings(deployment, workspace)) yield { kind: 'setting', data };
      return;
    case 'gaps':
      for await (const { gaps } of deployment.pages(
        '/v1/knowledge/gaps/records?limit=100',
        GapRecordPage,
      ))
        for (const data of gaps) yield { kind: 'gap', data };
      return;
    case 'tickets':
      // Erasing a person does not reach a file: it has no names.
      for await (const { tickets } of deployment.pages(
        '/v1/support/tickets?state=all&limit=200',
        TicketsResponse,
      ))
        for (const { customer_name: _, ...data } of tickets) yield { kind: 'ticket', data };
  }
}
