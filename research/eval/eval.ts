/** `npm run eval`: how well the product finds, answers and routes. */
import { resolve } from 'node:path';
import { failUsage, readCommandLine } from '../../tools/command-line.ts';
import { missingFiles } from './eval-data.ts';
import type { Measure } from './retrieval.ts';

const HELP = `Measures how well the product finds, answers and routes. Prints tables; ends with 1 when a target is missed, with 2 when
a part or its data is missing.

  npm run eval -- [part ...] [options]

  part                 knowledge, large, routing, analytics, tokens, support, messages, intents, tickets, gaps, embeddings,
                       answers, calibration, foreign; without a name all but the last three. routing and tickets ask the product itself,
                       analytics the sample shop; the others read public data that is not part of the repository.
                       answers asks customers' questions with recorded replies of a model; calibration calls the
                       embedding model that is configured, which costs; foreign asks what people want to know of public
                       documentations
  --data <folder>      the folder of evaluation data (default eval-data)
  --sentence-model     embeddings: with a sentence model instead of word vectors
  --recorded           answers: with recorded replies (always so)
  --open <folder>      answers, tickets, foreign: write the prompts that lack a reply into this folder
  --replies <folder>   answers, tickets, foreign: add the replies in this folder to the recorded ones
  --bases <folder>     foreign: holds a copy of each documentation as <name>/docs
  --answers <folder>   foreign: write the answers into this folder
  --only <endings>     foreign: only questions whose id ends with one of these, separated by commas
  --show-below <mark>  answers: print the answers with a lower mark, 0 to 1
  --help               this text
`;

const { values, positionals } = readCommandLine(HELP, {
  options: {
    data: { type: 'string' },
    'sentence-model': { type: 'boolean' },
    recorded: { type: 'boolean' },
    open: { type: 'string' },
    replies: { type: 'string' },
    bases: { type: 'string' },
    answers: { type: 'string' },
    only: { type: 'string' },
    'show-below': { type: 'string' },
  },
  maxPositionals: 20,
});

const isMissed = ({ value, target, atMost }: Measure): boolean =>
  (target !== undefined && value < target) || (atMost !== undefined && value > atMost);

const row = (measure: Measure): string => {
  const { name, value, target, atMost, note } = measure;
  const bar =
    target !== undefined ? `>= ${target.toFixed(3)}` : atMost !== undefined ? `<= ${atMost}` : '';
  const verdict = isMissed(measure) ? `MISSES ${bar}` : bar;
  return `${name.padEnd(46)} ${value.toFixed(4).padStart(8)}  ${verdict.padEnd(16)} ${note ?? ''}`.trimEnd();
};

const print = (title: string, measures: readonly Measure[]): readonly Measure[] => {
  console.log(`\n${title}\n`);
  for (const measure of measures) console.log(row(measure));
  return measures;
};

const dataFolder = (missingIn = missingFiles): string => {
  const folder = resolve(values.data ?? 'eval-data');
  const missing = missingIn(folder);
  if (missing.length > 0) {
    console.error(`Cannot evaluate: ${folder} lacks ${missing.join(', ')}`);
    console.error('Name the folder of the evaluation data: npm run eval -- --data <folder>');
    process.exit(2);
  }
  return folder;
};

const evaluateKnowledge = async (): Promise<readonly Measure[]> => {
  const folder = dataFolder();
  const { evaluateRetrieval } = await import('./retrieval.ts');
  const { evaluateSample } = await import('./sample.ts');
  const { evalAnswers } = await import('./answers.ts');
  const retrieval = print('Retrieval, nDCG@10', await evaluateRetrieval(folder));
  print("Retrieval of articles, sample knowledge base, customers' words", await evaluateSample());
  return [...retrieval, ...print('Answers', await evalAnswers(folder))];
};

const PARTS = {
  knowledge: evaluateKnowledge,
  large: async () => {
    const { evaluateLargeMode } = await import('./large-mode.ts');
    return print('Retrieval in large mode, nDCG@10', await evaluateLargeMode(dataFolder()));
  },
  routing: async () => {
    const { evaluateRouting } = await import('./routing.ts');
    const { evaluateSplit } = await import('./eval-split.ts');
    return [
      ...print('Routing', await evaluateRouting()),
      ...print('Parts of questions for several librarians', evaluateSplit()),
    ];
  },
  analytics: async () => {
    const { analyticsMeasures } = await import('./analytics.ts');
    return print('Questions about the sample shop', await analyticsMeasures());
  },
  tokens: async () => {
    const { evalTokens } = await import('./tokens.ts');
    return print('Tokens', await evalTokens(dataFolder()));
  },
  support: async () => {
    const { evaluateSupport } = await import('./support.ts');
    const { missingSupportFiles } = await import('./support-data.ts');
    return print(
      'Support of answers by their sources',
      evaluateSupport(dataFolder(missingSupportFiles)),
    );
  },
  messages: async () => {
    const { evaluateMessages } = await import('./messages.ts');
    return print('What a message does, on messages that were not fitted', evaluateMessages());
  },
  intents: async () => {
    const { evaluateIntents, missingIntentFiles } = await import('./intents.ts');
    return print('Intents without a model', evaluateIntents(dataFolder(missingIntentFiles)));
  },
  tickets: async () => {
    const { evaluateTickets, readSample } = await import('./tickets.ts');
    const { evaluateRecordedTickets, hasRecordedTickets } = await import('./recorded-tickets.ts');
    const recorded = { open: values.open, replies: values.replies };
    const plain = print('Tickets of the sample knowledge base', await evaluateTickets());
    if (!hasRecordedTickets(recorded)) return plain;
    const withModel = await evaluateRecordedTickets(recorded, await readSample());
    return [...plain, ...print('The same with recorded replies of a model', withModel)];
  },
  gaps: async () => {
    const { evaluateGaps } = await import('./gaps.ts');
    return print('What is not written, as questions tell it', await evaluateGaps(dataFolder()));
  },
  foreign: async () => {
    const { evaluateForeign } = await import('./foreign.ts');
    const { replies, open, answers, only } = values;
    const bases =
      values.bases ??
      failUsage('Cannot evaluate foreign: name the folder of the documentations (--bases)');
    return print(
      'Documentations that nothing was fitted to',
      await evaluateForeign({
        bases: resolve(bases),
        replies,
        open,
        answers,
        only: only?.split(','),
      }),
    );
  },
  answers: async () => {
    const { evaluateRecorded, missingRecordedFiles } = await import('./recorded-answers.ts');
    return print(
      "Answers to customers' questions, with recorded replies",
      await evaluateRecorded({
        folder: dataFolder(missingRecordedFiles),
        open: values.open,
        replies: values.replies,
        showBelow: Number(values['show-below'] ?? 0),
      }),
    );
  },
  embeddings: async () => {
    const { evalEmbeddings } = await import('./embeddings.ts');
    const model = values['sentence-model'] ? 'sentence model' : 'word vectors';
    return print(`Words and meaning, with ${model}`, await evalEmbeddings(dataFolder(), model));
  },
  calibration: async () => {
    const { evalCalibration } = await import('./calibration.ts');
    return print(
      'Relevance by meaning alone',
      await evalCalibration(dataFolder(), { variables: process.env }),
    );
  },
};

const BY_NAME_ALONE: ReadonlySet<string> = new Set(['answers', 'calibration', 'foreign']);
const chosen =
  positionals.length === 0
    ? Object.keys(PARTS).filter((name) => !BY_NAME_ALONE.has(name))
    : positionals;
const unknown = chosen.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0)
  failUsage(
    `Cannot evaluate ${unknown.join(', ')}: the parts are ${Object.keys(PARTS).join(', ')}`,
  );

const measures: Measure[] = [];
for (const [name, evaluate] of Object.entries(PARTS))
  if (chosen.includes(name)) measures.push(...(await evaluate()));
const missed = measures.filter(isMissed);
console.log(
  missed.length === 0
    ? '\nEvery target is met.'
    : `\nMissed: ${missed.map(({ name }) => name).join('; ')}`,
);
// A runtime that was started may keep the process alive.
process.exit(missed.length === 0 ? 0 : 1);
