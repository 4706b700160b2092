/**
 * `npm run eval -- --data <folder of evaluation data>`: how well the product finds and answers, on public data that is not
 * part of the repository. Prints a table; exits with 1 when a target is missed, with 2 when the data is not there.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { evalAnswers } from './eval-answers.ts';
import { missingFiles } from './eval-data.ts';
import { evaluateRetrieval, type Measure } from './eval-retrieval.ts';
import { evaluateSample } from './eval-sample.ts';

const { values } = parseArgs({ options: { data: { type: 'string' } } });
const folder = resolve(values.data ?? 'eval-data');
const missing = missingFiles(folder);
if (missing.length > 0) {
  console.error(`Cannot evaluate: ${folder} lacks ${missing.join(', ')}`);
  console.error('Name the folder of the evaluation data: npm run eval -- --data <folder>');
  process.exit(2);
}

const isMissed = ({ value, target, atMost }: Measure): boolean =>
  (target !== undefined && value < target) || (atMost !== undefined && value > atMost);

const row = (measure: Measure): string => {
  const { name, value, target, atMost, note } = measure;
  const bar = target !== undefined ? `>= ${target.toFixed(3)}` : atMost !== undefined ? `<= ${atMost}` : '';
  const verdict = isMissed(measure) ? `MISSES ${bar}` : bar;
  return `${name.padEnd(46)} ${value.toFixed(4).padStart(8)}  ${verdict.padEnd(16)} ${note ?? ''}`.trimEnd();
};

console.log('Retrieval, nDCG@10\n');
const measures = evaluateRetrieval(folder);
for (const measure of measures) console.log(row(measure));
console.log("\nRetrieval of articles, sample knowledge base, customers' words\n");
for (const measure of evaluateSample()) console.log(row(measure));
console.log('\nAnswers\n');
const answers = evalAnswers(folder);
for (const measure of answers) console.log(row(measure));
const missed = [...measures, ...answers].filter(isMissed);
console.log(missed.length === 0 ? '\nEvery target is met.' : `\nMissed: ${missed.map(({ name }) => name).join('; ')}`);
process.exitCode = missed.length === 0 ? 0 : 1;
