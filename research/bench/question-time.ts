import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { manyClients } from './many-clients.ts';
import BASELINE from './question-time.json' with { type: 'json' };
import { runtimeProcesses } from './watch-memory.ts';

/** Requests of one round, and rounds; each round measures the empty function before and after each kind of request. */
const REQUESTS = 200;
const EMPTY_REQUESTS = 600;
const ROUNDS = 7;
const CLIENTS = 8;
/** Most that a question may cost, as a multiple of the recorded one. */
const MOST = 1.1;

interface Measured {
  /** `/v1/ask`. */
  ask: URL;
  /** The empty function behind one hop. */
  empty: URL;
  headers: Record<string, string>;
  /** All different; none is asked twice. */
  questions: readonly string[];
}

/** What is asked, the least first; the differences are the stages of a question. */
const KINDS = {
  refused: { body: () => ({}), status: 400 },
  again: { body: (): object => ({ query: 'How long does shipping to Canada take?' }), status: 200 },
  named: { body: (query: string): object => ({ query, librarian: 'navigator' }), status: 200 },
  different: { body: (query: string): object => ({ query }), status: 200 },
};
type Kind = keyof typeof KINDS;

/**
 * Processor time of a question as a multiple of the empty hop in the same rounds, by stage. Requests a second swing by two with the load
 * of the machine, the ratio by a tenth (Linux).
 *
 * @returns False when it costs more than a tenth above `question-time.json`, on the machine that is named there; on others it is only
 * printed.
 */
export async function benchQuestionTime(measured: Measured): Promise<boolean> {
  const ratios: Record<Kind, number[]> = { refused: [], again: [], named: [], different: [] };
  const milliseconds: number[] = [];
  let next = 0;
  const question = (): string => measured.questions[next++ % measured.questions.length] ?? '';
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const kind of Object.keys(KINDS) as Kind[]) {
      const bodies = Array.from({ length: REQUESTS }, () => KINDS[kind].body(question()));
      const before = await timeOfEmpty(measured);
      const own = await timeOf(measured.ask, { ...measured, bodies, status: KINDS[kind].status });
      const after = await timeOfEmpty(measured);
      ratios[kind].push((2 * own) / (before + after));
      if (kind === 'different') milliseconds.push(own);
    }
  }
  const of = (kind: Kind): number => middle(ratios[kind]);
  const { different, machine } = BASELINE;
  console.log(
    `Processor time of a question: ${middle(milliseconds).toFixed(2)} ms, ${of('different').toFixed(1)} empty hops, ` +
      `${(100 / of('different')).toFixed(1)} % of one (recorded: ${different} empty hops, ${machine}); load ${loadOfMachine()}`,
  );
  console.table({
    'gateway: authentication, limits, log': { 'empty hops': rounded(of('refused')) },
    'signed hop, answer from the cache, kept answer': {
      'empty hops': rounded(of('again') - of('refused')),
    },
    'search and answer': { 'empty hops': rounded(of('named') - of('again')) },
    'choice of the librarian': { 'empty hops': rounded(of('different') - of('named')) },
    together: { 'empty hops': rounded(of('different')) },
  });
  const isWithin = of('different') <= MOST * different;
  if (!isWithin)
    console.error(
      `A question costs more than ${MOST} times the ${different} empty hops of question-time.json`,
    );
  return isWithin || machine !== machineName();
}

/** Processor and number of cores. */
const machineName = (): string => `${cpus()[0]?.model}, ${cpus().length} cores`;

const timeOfEmpty = ({ empty, ...measured }: Measured): Promise<number> =>
  timeOf(empty, {
    ...measured,
    bodies: Array.from({ length: EMPTY_REQUESTS }, () => ({})),
    status: 200,
  });

/** Milliseconds of all threads of the runtime for each request. */
const timeOf = async (
  url: URL,
  {
    headers,
    bodies,
    status,
  }: Pick<Measured, 'headers'> & { bodies: readonly object[]; status: number },
): Promise<number> => {
  const before = processorMs();
  const options = { headers, bodies: bodies.map((body) => JSON.stringify(body)), clients: CLIENTS };
  const answered = await manyClients(url, options);
  const other = answered.find((each) => each.status !== status);
  if (other !== undefined)
    throw new Error(`Cannot measure ${url.pathname}: status ${other.status}, not ${status}`);
  return (processorMs() - before) / bodies.length;
};

/** Processor time that the threads of the local runtime have used. */
const processorMs = (): number =>
  runtimeProcesses()
    .flatMap((id) =>
      readdirSync(`/proc/${id}/task`).map((thread) => `/proc/${id}/task/${thread}/schedstat`),
    )
    .reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6, 0);

const loadOfMachine = (): string => readFileSync('/proc/loadavg', 'utf8').split(' ')[0] ?? '';

const middle = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;

const rounded = (value: number): number => Math.round(10 * value) / 10;
