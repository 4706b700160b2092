/** `npx constellation digest`: what was asked, declined and fixed in the last days. */
import { writeFileSync } from 'node:fs';
import { type AnswerSummary, AnswersPage, AnswerVerdict } from '../../src/contract/wire/answers.ts';
import { KnowledgeGapsResponse, KnowledgeHealth } from '../../src/contract/wire/knowledge.ts';
import { markdownToHtml } from '../../src/documents/markdown/render-markdown.ts';
import { fail, orUsageError, readCommandLine } from '../command-line.ts';
import { DEPLOYMENT_HELP, DEPLOYMENT_OPTIONS, openDeployment, progressLine, Refusal } from './deployment.ts';
import { type DigestData, digestText } from './digest-text.ts';

const HELP = `Writes what was asked, declined and fixed in the last days, what is missing, and which articles to look at: as Markdown, or as
HTML for a mail. For a weekly mail, run it from a schedule: npx constellation digest --format html | mail …

  npx constellation digest [options]

  --days <number>     1 to 90 (default 7)
  --format <format>   markdown or html (default markdown)
  --out <file>        writes into a file instead of standard output
  --workspace <id>    the workspace; the first one of the key when absent
${DEPLOYMENT_HELP}
  --help              this text

The key needs answers:read, support:analyze and kb:read.
`;

const DAY_MS = 86_400_000;
const LISTED = 200;

const { values } = readCommandLine(HELP, {
  options: {
    ...DEPLOYMENT_OPTIONS,
    days: { type: 'string', default: '7' },
    format: { type: 'string', default: 'markdown' },
    out: { type: 'string' },
  },
});
const days = orUsageError(() => {
  const number = Number(values.days);
  if (!Number.isInteger(number) || number < 1 || number > 90)
    throw new Error(`Cannot read --days ${values.days}: it is no whole number of 1 to 90`);
  if (values.format !== 'markdown' && values.format !== 'html')
    throw new Error(`Cannot write the format ${values.format}: there are markdown and html`);
  return number;
});
const { say } = progressLine();

await main().catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));

async function main(): Promise<void> {
  const markdown = digestText(await readDigest(Date.now()));
  const written = values.format === 'html' ? pageOf(markdown) : `${markdown}\n`;
  if (values.out === undefined) process.stdout.write(written);
  else writeFileSync(values.out, written);
}

async function readDigest(now: number): Promise<DigestData> {
  const deployment = openDeployment(values, say);
  const from = new Date(now - days * DAY_MS).toISOString();
  const before = new Date(now - 2 * days * DAY_MS).toISOString();
  const answers = async (filter: string, limit = 1) =>
    deployment.call(`GET /v1/answers?limit=${limit}&${filter}`, AnswersPage);
  const countVerdicts = async (when: string) => {
    const counts = AnswerVerdict.options.map(async (verdict) => [
      verdict,
      (await answers(`${when}&verdict=${verdict}`)).total,
    ]);
    // Each verdict is counted.
    return Object.fromEntries(await Promise.all(counts)) as Record<AnswerVerdict, number>;
  };
  const read = async (): Promise<Pick<DigestData, 'verdicts' | 'declined' | 'unhelpful'>> => ({
    verdicts: { now: await countVerdicts(`from=${from}`), before: await countVerdicts(`from=${before}&to=${from}`) },
    declined: (await answers(`from=${from}&verdict=declined`, LISTED)).answers,
    unhelpful: (await answers(`from=${from}&feedback=down`, LISTED)).answers,
  });
  const notKept = { verdicts: undefined, declined: [] as AnswerSummary[], unhelpful: [] as AnswerSummary[] };
  const kept = await read().catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return notKept;
    throw error;
  });
  const open = await deployment.call(`GET /v1/knowledge/gaps?state=open&limit=${LISTED}`, KnowledgeGapsResponse);
  const closed = await deployment.call(`GET /v1/knowledge/gaps?state=closed&limit=${LISTED}`, KnowledgeGapsResponse);
  return {
    ...kept,
    ...{ from: from.slice(0, 10), to: new Date(now).toISOString().slice(0, 10) },
    ...{ openGaps: open.gaps, openGapCount: open.total },
    closedGaps: closed.gaps.filter(({ closed_at: at }) => at !== null && at >= from),
    health: await deployment.call('GET /v1/knowledge/health', KnowledgeHealth),
  };
}

/** For mail programs: one column, no style sheet, no picture. */
function pageOf(markdown: string): string {
  return `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Digest</title></head>\n<body>\n${markdownToHtml(markdown)}\n</body>\n</html>\n`;
}
