import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { KnowledgeChecks } from '../../../src/contract/wire/checks.ts';
import { EditionList } from '../../../src/contract/wire/editions.ts';
import { SAMPLE_CHECKS } from '../../../tools/sample/files.ts';
import { grant, send } from '../../functions/product-for-test.ts';
import { runNode } from '../../tools/node-for-test.ts';
import { expectAccessible } from './accessibility.ts';
import { goTo, open, product, publish, read, withdraw } from './console-for-test.ts';

const QUESTION = 'How large must the micro SD card be to recover an Apollo III?';
const ARTICLE = 'maintenance/recovery-with-an-sd-card.md';
const LINES = readFileSync(SAMPLE_CHECKS, 'utf8');
/** The checks are run in the background. */
const POLL = { timeout: 60_000, interval: 500 };

const checks = () => read(KnowledgeChecks, '/v1/knowledge/checks?limit=100');
const counts = async () => (await checks()).counts;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-checks-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `constellation check` with a file of these lines, and what it wrote as JUnit. */
const check = async (lines: string) => {
  const [file, junit] = [join(folder, 'questions.jsonl'), join(folder, 'checks.xml')];
  writeFileSync(file, lines);
  const args = [
    'client/command-line/constellation.ts',
    'check',
    '--url',
    product.url.origin,
    '--junit',
    junit,
    file,
  ];
  const { status, stdout, stderr } = await runNode(args, {
    env: { CONSTELLATION_API_KEY: product.key },
  });
  return { status, stdout, stderr, junit: readFileSync(junit, 'utf8') };
};

/** After the test, publishes the edition before it again: its articles belong to the source. */
const restoreAtEnd = async (): Promise<void> => {
  const { editions } = await read(EditionList, '/v1/knowledge/editions');
  const current = editions.find(({ is_current: isCurrent }) => isCurrent);
  onTestFinished(async () => {
    const route = `POST /v1/knowledge/editions/${current?.id}/activate`;
    expect(await (await send(product, route, {})).json()).toMatchObject({ left_out: 0 });
    await product.sync({ full: true });
    await expect.poll(counts, POLL).toMatchObject({ not_run: 0 });
  }, POLL.timeout);
};

describe('the view Checks', { timeout: 120_000 }, () => {
  afterAll(async () => {
    for (const { id } of (await checks()).checks)
      await send(product, `DELETE /v1/knowledge/checks/${id}`);
  });

  it('is empty, imports the thirty of the sample, and shows that all are green', async () => {
    const page = await open('/checks');
    await page.getByRole('heading', { name: 'No check yet' }).waitFor();
    await expectAccessible(page);
    const file = { name: 'questions.jsonl', mimeType: 'application/x-ndjson' };
    const broken = `${LINES}{"question": "Nothing expected?"}\n<img src=x onerror=alert(1)>\n`;
    await page.getByLabel('Import').setInputFiles({ ...file, buffer: Buffer.from(broken) });
    const dialog = page.getByRole('dialog');
    await dialog.getByText('30 added, 0 changed, 0 unchanged.').waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      'Line 31: it needs contains or cites, or declined alone',
      'Line 32: it is not a JSON object',
    ]);
    await page.keyboard.press('Escape');
    await page.getByText('30 green').waitFor({ timeout: 60_000 });
    expect(await counts()).toEqual({ red: 0, not_run: 0, green: 30 });
    await page.getByRole('button', { name: 'Run all' }).click();
    await page.getByText(/Asking the questions: \d+ of 30/).waitFor();
    await page.getByText(/Last run/).waitFor({ timeout: 60_000 });
    expect(await page.locator('.check-item code').count()).toBe(0);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const exported = readFileSync(await (await download).path(), 'utf8');
    expect(exported.trim().split('\n')).toHaveLength(30);
    expect(await check(exported)).toMatchObject({ status: 0, stdout: '30 of 30 green\n' });
  });

  it('names the edit that breaks one, before it is saved, in the list and on the command line, and the one that mends it', async () => {
    await restoreAtEnd();
    const article = (await (await send(product, `GET /api/kb/articles/${ARTICLE}`)).json()) as {
      title: string;
      content: string;
    };
    const wrong = article.content.replaceAll('32 GB', '64 GB');
    const page = await open(`/knowledge?${new URLSearchParams({ article: ARTICLE })}&edit`);
    await page.getByLabel('Markdown or HTML').fill(wrong);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('1 check would turn red with this text').waitFor({ timeout: 60_000 });
    await page.getByRole('heading', { level: 2, name: QUESTION }).waitFor();
    await expectAccessible(page, { width: 390 });
    expect(await counts()).toMatchObject({ red: 0 });
    await page.getByRole('button', { name: 'Save anyway' }).click();
    await page.getByRole('heading', { level: 1, name: article.title }).waitFor();
    await product.sync({});
    await goTo(page, '/checks');
    await expect.poll(counts, POLL).toEqual({ red: 1, not_run: 0, green: 29 });
    await page.reload();
    const item = page.getByRole('listitem').filter({ hasText: QUESTION }).first();
    await item.getByText('Red since these articles were changed:').waitFor();
    expect(await item.textContent()).toMatch(
      /Expects an answer with at least 32 GB from Recover the device with an SD card.*the text is missing/,
    );
    await expectAccessible(page, { width: 390 });
    const report = await check(LINES);
    expect([report.status, report.stdout]).toEqual([
      1,
      expect.stringContaining(`RED  line 19  ${QUESTION}`),
    ]);
    expect(report.stdout).toContain('29 of 30 green');
    expect(report.junit).toContain('tests="30" failures="1" errors="0"');
    await page.setViewportSize({ width: 1280, height: 800 });
    await item.getByRole('link', { name: /show the difference/ }).click();
    await page.locator('.diff ins', { hasText: '64 GB' }).first().waitFor();
    await goTo(page, `/knowledge?${new URLSearchParams({ article: ARTICLE })}&edit`);
    await page.getByLabel('Markdown or HTML').fill(article.content);
    await page.getByRole('button', { name: 'Check the text' }).click();
    await page
      .getByText('30 checks run with this text: none turns red')
      .waitFor({ timeout: 60_000 });
    await page.getByText('1 red check would be green again.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: article.title }).waitFor({ timeout: 60_000 });
    await product.sync({});
    await goTo(page, '/checks');
    await expect.poll(counts, POLL).toEqual({ red: 0, not_run: 0, green: 30 });
    expect((await checks()).checks.every(({ broken_by: broken }) => broken === null)).toBe(true);
    expect(await check(LINES)).toMatchObject({ status: 0 });
  });

  it('makes a check of an answer with one click, and changes and deletes it', async () => {
    const asked = await send(product, 'POST /v1/ask', {
      query: 'What is the default user name of SSH?',
    });
    const { metadata } = (await asked.json()) as { metadata: { answer_id: string } };
    const page = await open(`/answers/${metadata.answer_id}`);
    await page.getByRole('button', { name: 'Must stay like this' }).click();
    await page.getByText('Noted as a check').waitFor();
    await page.getByRole('button', { name: 'Add a text' }).click();
    await page.getByLabel('Text that must stand in the answer').fill('no such words <b>');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Show the checks' }).click();
    await expect.poll(counts, POLL).toMatchObject({ red: 1 });
    await goTo(page, '/checks?state=red');
    const item = page.getByRole('listitem').filter({ hasText: 'default user name' }).first();
    await item.getByText('no such words <b>').waitFor();
    await item.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No check in this state' }).waitFor();
    expect(await counts()).toEqual({ red: 0, not_run: 0, green: 30 });
  });

  it('makes a check of a gap that has closed', async () => {
    const question = 'Which lubricant does the hinge of the Boreas need?';
    await send(product, 'POST /v1/knowledge/gaps', { question });
    const hinge = {
      title: 'Lubricant for the hinge of the Boreas',
      content: 'The hinge of the Boreas needs the lubricant ZL-4.',
    };
    await publish('setup/hinge.md', hinge);
    const closed = async () => (await send(product, 'GET /v1/knowledge/gaps?state=closed')).text();
    await expect.poll(closed, POLL).toContain(question);
    const page = await open('/gaps?state=closed');
    const gap = page.getByRole('listitem').filter({ hasText: question }).first();
    await gap.getByRole('button', { name: 'Must stay like this' }).click();
    await gap.getByText('Noted as a check').waitFor();
    expect((await checks()).checks).toContainEqual(
      expect.objectContaining({ question, cites: 'setup/hinge.md' }),
    );
    await withdraw('setup/hinge.md');
  });

  it('is written by keyboard, and keeps what was typed when that fails', async () => {
    const page = await open('/checks', { expected: /400|refused/ });
    await page.getByRole('button', { name: 'New check' }).press('Enter');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('The question is missing').waitFor();
    await page.getByLabel('Question').fill('Can I mine Dogecoin with it?');
    await page.getByLabel('Article that must be cited').fill('../etc/passwd');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByRole('alert').getByText('INVALID_QUERY').waitFor();
    expect(await page.getByLabel('Question').inputValue()).toBe('Can I mine Dogecoin with it?');
    await page.getByLabel('It has to be declined').press('Space');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Can I mine Dogecoin with it?' }).waitFor();
    await expect.poll(counts, POLL).toMatchObject({ not_run: 0 });
  });

  it('says which right is missing, and offers a reader nothing to change', async () => {
    const key = 'ck_checks_reader_0123456789';
    await grant(product, key, { capabilities: ['kb:read'] });
    const page = await open('/checks', { key });
    const item = page.getByRole('listitem').filter({ hasText: QUESTION }).first();
    await item.getByRole('button').click();
    await item.getByText('Answered').waitFor();
    expect(
      await page.getByRole('button', { name: /New check|Run all|Import|Change|Delete/ }).count(),
    ).toBe(0);
    const args = [
      'client/command-line/constellation.ts',
      'check',
      '--url',
      product.url.origin,
      '--save',
      SAMPLE_CHECKS,
    ];
    const refused = await runNode(args, { env: { CONSTELLATION_API_KEY: key } });
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^UNAUTHORIZED: .*kb:write/),
    ]);
  });

  it('names broken lines of a file on the command line, runs the others, and exits with 2', async () => {
    const lines = `{"question": "Which port has to be open?", "contains": "8333"}\nno JSON\n\n{"question": "a", "contains": "${'x'.repeat(501)}"}\n`;
    const { status, stdout, stderr, junit } = await check(lines);
    expect([status, stdout]).toEqual([2, expect.stringContaining('NOT RUN  line 4')]);
    expect(stderr).toContain('questions.jsonl:2: it is not a JSON object');
    expect(junit).toContain('tests="3" failures="0" errors="2"');
  });
});
