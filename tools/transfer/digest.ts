/** `npx constellation digest`: what was asked, not answered and closed in the last days. */
import { writeFileSync } from 'node:fs';
import { Overview } from '../../src/contract/wire/overview.ts';
import { fail, orUsageError, readCommandLine } from '../command-line.ts';
import { DEPLOYMENT_HELP, DEPLOYMENT_OPTIONS, openDeployment, progressLine } from './deployment.ts';
import { digestHtml, digestMail } from './digest-mail.ts';
import { digestMarkdown, digestOf } from './digest-text.ts';

const HELP = `Writes what the console shows first: questions of the last days by outcome, what was not answered most often, which articles to
look at. As Markdown, as an HTML page, or as a mail with both HTML and text. For a weekly mail, run it from a schedule:
npx constellation digest --format mail --to team@example.com | sendmail -t

  npx constellation digest [options]

  --days <number>     1 to 28 (default 7)
  --format <format>   markdown, html or mail (default markdown)
  --from <address>    of the mail
  --to <address>      of the mail
  --out <file>        writes into a file instead of standard output
  --workspace <id>    the workspace; the first one of the key when absent
${DEPLOYMENT_HELP}
  --help              this text

The key needs answers:read, support:analyze, kb:read and, for tickets, helpdesk:write; what it lacks is named and omitted.
`;

const FORMATS = ['markdown', 'html', 'mail'] as const;

const { values } = readCommandLine(HELP, {
  options: {
    ...DEPLOYMENT_OPTIONS,
    days: { type: 'string', default: '7' },
    format: { type: 'string', default: 'markdown' },
    from: { type: 'string' },
    to: { type: 'string' },
    out: { type: 'string' },
  },
});
const { days, format } = orUsageError(() => {
  const number = Number(values.days);
  if (!Number.isInteger(number) || number < 1 || number > 28)
    throw new Error(`Cannot read --days ${values.days}: it is no whole number of 1 to 28`);
  const format = FORMATS.find((each) => each === values.format);
  if (format === undefined)
    throw new Error(`Cannot write the format ${values.format}: there are ${FORMATS.join(', ')}`);
  for (const address of [values.from, values.to])
    if (address !== undefined && !/^[^\r\n]+@[^\r\n]+$/.test(address))
      throw new Error(`Cannot use ${JSON.stringify(address)}: it is no mail address`);
  return { days: number, format };
});

await main().catch((error: unknown) =>
  fail(error instanceof Error ? error.message : String(error)),
);

async function main(): Promise<void> {
  const deployment = openDeployment(values, progressLine().say);
  const digest = digestOf(await deployment.call(`GET /v1/overview?days=${days}`, Overview));
  const { url, from, to } = values;
  const forms = {
    markdown: async () => `${digestMarkdown(digest)}\n`,
    html: () => digestHtml(digest, url),
    mail: () => digestMail(digest, { url, from, to, boundary: `digest-${crypto.randomUUID()}` }),
  };
  const written = await forms[format]();
  if (values.out === undefined) process.stdout.write(written);
  else writeFileSync(values.out, written);
}
