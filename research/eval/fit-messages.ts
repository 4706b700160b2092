/** Fits `src/language/message-kinds.json`. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openKindModel } from '../../src/language/message-kind.ts';
import { readCommandLine } from '../../tools/command-line.ts';
import { exampleOf, fitKinds, furtherExamples } from './message-fit.ts';
import { digestOfFitted, readMessages } from './message-rows.ts';
import { printKinds, type ReadMessage } from './messages.ts';
import { randomNumbers } from './softmax-fit.ts';

const HELP = `Fits the model that tells what a message does (src/language/message-kinds.json) on research/eval/messages/train.jsonl,
phrases and questions, in about a minute. Before, with --folds, prints recall and false alarms of messages that were read by
a fit without them (cross-validation), by which the thresholds in src/language are chosen.

  node research/eval/fit-messages.ts [options]

  --data <folder>  the folder of evaluation data (default eval-data)
  --folds <count>  parts of the cross-validation, 2 to 10, each a fit
  --dry            write nothing
  --help           this text
`;

const { values } = readCommandLine(HELP, {
  options: { data: { type: 'string' }, folds: { type: 'string' }, dry: { type: 'boolean' } },
});
const rows = readMessages('train');
const examples = rows.map((row) => exampleOf(row, 1));
const further = furtherExamples(resolve(values.data ?? 'eval-data'));

const folds = Number(values.folds ?? 0);
if (folds > 1) {
  const random = randomNumbers(7);
  const fold = rows.map(() => Math.floor(random() * folds));
  const results: ReadMessage[] = [];
  for (let part = 0; part < folds; part += 1) {
    const read = openKindModel(
      fitKinds([...examples.filter((_, at) => fold[at] !== part), ...further]),
    );
    results.push(...rows.filter((_, at) => fold[at] === part).map((row) => ({ row, read })));
  }
  printKinds(results);
}
if (values.dry !== true) {
  const text = `${JSON.stringify({ fittedOn: digestOfFitted(), ...fitKinds([...examples, ...further]) })}\n`;
  writeFileSync(new URL('../../src/language/message-kinds.json', import.meta.url), text);
  console.log(`${text.length} bytes, ${gzipSync(text, { level: 9 }).length} compressed`);
}
