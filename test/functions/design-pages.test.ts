import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ROOT } from '../../tools/functions.ts';
import { startProduct } from '../../tools/run/product.ts';
import { bundleTraced, type TracedCall, tracedCall } from './traced-function.ts';

/** Deployed functions that a question runs through. */
const DEPLOYED = ['gateway', 'navigator', 'library', 'memory'];
/** Folders of which every file that is met stands on the page. */
const COMPLETE = /^src\/(?:gateway\/(?:ask|history)|librarians|answering|knowledge\/library)\//;
/** Folders that every step uses; the page says that it does not list them. */
const EVERYWHERE = /^(?:functions|src\/contract|src\/platform(?!\/context))\//;

/** A line of the page's tables. */
interface Step {
  deployed: string;
  file: string;
  /** A function of the file, or none. */
  name: string;
}

/** The lines of the tables below headings such as `### 1. The function library`. */
const stepsOf = (page: string): Step[] =>
  page
    .split(/^### /m)
    .slice(1)
    .flatMap((section) => {
      const deployed = /^\d+\. The function `(\w+)`/.exec(section)?.[1];
      const rows =
        section.split(/^## /m)[0]?.matchAll(/^\| `(src\/[^`]+)` \| (?:`(\w+)`)? ?\|/gm) ?? [];
      return [...rows].map(([, file = '', name = '']) => ({
        deployed: deployed ?? '',
        file,
        name,
      }));
    });

const PAGE = readFileSync(join(ROOT, 'docs/design/question.md'), 'utf8');
const STEPS = stepsOf(PAGE);
const ARTICLE_STEPS = stepsOf(readFileSync(join(ROOT, 'docs/design/article.md'), 'utf8'));

const folder = mkdtempSync(join(tmpdir(), 'constellation-question-'));
const calls: TracedCall[] = [];
/** Those of the first sync. */
let syncCalls: TracedCall[] = [];

/** The apps are built before the question: it is about what happens then. The edition is opened by it. */
beforeAll(async () => {
  const mains: Record<string, string> = {};
  for (const id of DEPLOYED) mains[`constellation-${id}`] = await bundleTraced(id, folder);
  const product = await startProduct({
    kb: 'sample',
    port: 0,
    mains,
    functions: DEPLOYED.slice(1),
    onLog: (line) => calls.push(...[tracedCall(line) ?? []].flat()),
  });
  try {
    await product.sync({ full: true });
    await product.fetch('/v1/librarians');
    syncCalls = calls.splice(0);
    const query = /"query": "([^"]+)"/.exec(PAGE)?.[1];
    const response = await product.fetch('/v1/ask', {
      method: 'POST',
      body: JSON.stringify({ query }),
    });
    expect(await response.text()).toContain('4 to 7');
    // The answer is kept after the reply.
    await vi.waitFor(
      () => expect(calls.map(({ file }) => file)).toContain(STEPS.at(-1)?.file),
      30_000,
    );
  } finally {
    await product.stop();
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files that a deployed function meets, in the order of their first calls. */
const filesOf = (traced: readonly TracedCall[], deployed: string): string[] => [
  ...new Set(traced.filter((call) => call.deployed === deployed).map(({ file }) => file)),
];

/** The steps whose file is not met, or not after that of the step before. */
const misplacedOf = (steps: readonly Step[], files: readonly string[]): Step[] => {
  const places = steps.map(({ file }) => files.indexOf(file));
  return steps.filter((_, place) => (places[place] ?? -1) <= (places[place - 1] ?? -1));
};

const notCalled = (steps: readonly Step[], traced: readonly TracedCall[]): Step[] =>
  steps.filter(
    ({ deployed, file, name }) =>
      name !== '' &&
      !traced.some(
        (call) => call.deployed === deployed && call.file === file && call.name === name,
      ),
  );

/** What these steps lack or have in excess, compared with the calls. */
const problemsOf = (steps: readonly Step[]): string[] =>
  DEPLOYED.flatMap((deployed) => {
    const files = filesOf(calls, deployed);
    const own = steps.filter((step) => step.deployed === deployed);
    const named = new Set(steps.map(({ file }) => file));
    const folders = new Set(own.map(({ file }) => dirname(file)));
    const missing = files.filter((file) =>
      COMPLETE.test(file)
        ? !named.has(file)
        : !EVERYWHERE.test(file) && !folders.has(dirname(file)),
    );
    return [
      ...misplacedOf(own, files).map(
        ({ file }) => `${deployed}: ${file} is not met, or not in this place`,
      ),
      ...missing.map(
        (file) => `${deployed}: ${file} is met, and neither it nor a file beside it is named`,
      ),
    ];
  });

describe('the page about a question', () => {
  it('names the files that a question meets, in their order', () => {
    expect(problemsOf(STEPS)).toEqual([]);
  });

  it('names functions that the question calls', () => {
    expect(notCalled(STEPS, calls)).toEqual([]);
  });

  it('lacks none of its steps, and has none in another place', () => {
    for (const [place, step] of STEPS.entries()) {
      expect(problemsOf(STEPS.toSpliced(place, 1)), `without ${step.file}`).not.toEqual([]);
      const next = STEPS[place + 1];
      if (next?.deployed !== step.deployed) continue;
      expect(
        problemsOf(STEPS.toSpliced(place, 2, next, step)),
        `with ${step.file} later`,
      ).not.toEqual([]);
    }
  });
});

describe('the page about an article', () => {
  it('names files and functions that a sync meets, in their order', () => {
    expect(ARTICLE_STEPS.length).toBeGreaterThan(10);
    expect(misplacedOf(ARTICLE_STEPS, filesOf(syncCalls, 'library'))).toEqual([]);
    expect(notCalled(ARTICLE_STEPS, syncCalls)).toEqual([]);
  });
});
