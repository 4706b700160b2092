/** `npx constellation push-kb`: brings a folder of articles into a deployment. */
import { fail, orUsageError, readCommandLine } from '../command-line.ts';
import { DEPLOYMENT_HELP, DEPLOYMENT_OPTIONS, openDeployment, progressLine } from './deployment.ts';
import { folderToPush, PUSH_HELP, PUSH_OPTIONS, pushFolder } from './push-folder.ts';

const HELP = `Brings a folder of articles into a deployment: writes what is new or differs, and deletes what the folder no longer has.

  npx constellation push-kb --folder <docs> [options]

  --folder <docs>     Markdown, text, HTML, Word and PDF files, as npm start -- --kb <docs> reads them
${PUSH_HELP}
${DEPLOYMENT_HELP}
  --help              this text

Articles that a sync with a knowledge host brought are never deleted. The key needs kb:read and kb:write. The exit code is
0 when the knowledge base has become what the folder is, and 1 when a file was refused or deletions were held back.
`;

const { values } = readCommandLine(HELP, {
  options: { ...DEPLOYMENT_OPTIONS, ...PUSH_OPTIONS, folder: { type: 'string' } },
});
const folder = orUsageError(() => folderToPush(values.folder));
const { show, say } = progressLine();

try {
  const isWhole = await pushFolder(openDeployment(values, say), folder, {
    ...values,
    show,
    say,
    plan: console.log,
  });
  if (!isWhole) process.exitCode = 1;
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
