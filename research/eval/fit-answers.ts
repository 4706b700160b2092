import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import MODEL from '../../src/answering/passages/answer-model.json' with { type: 'json' };
import { GATE_SIGNS, pickAnswer } from '../../src/answering/passages/find-answer.ts';
import { candidateUnits, UNIT_FEATURES } from '../../src/answering/passages/unit-features.ts';
import type { Unit } from '../../src/answering/passages/units.ts';
import { parseQuestion, questionWithTurn } from '../../src/answering/understand/parse-question.ts';
import { HITS } from '../../src/answering/write/answer-from-edition.ts';
import type { Turn } from '../../src/knowledge/search/analyse-query.ts';
import { applyLogistic, type LogisticModel } from '../../src/knowledge/search/logistic.ts';
import { createRetriever } from '../../src/knowledge/search/retrieve.ts';
import { failUsage, readCommandLine } from '../../tools/command-line.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { SAMPLE_KNOWLEDGE_BASE } from '../../tools/sample/files.ts';
import {
  type EvalBase,
  openArticles,
  openFolder,
  openSupportDocs,
  plainText,
} from './answer-bases.ts';
import { areaUnderCurve, calibrationError } from './decision-metrics.ts';
import { halfOf } from './embed-set.ts';
import { type JudgedQuestion, readLines, readMtrag, readNq, readSupportDocs } from './eval-data.ts';
import { fitLogistic } from './fit-logistic.ts';
import { basesIn, openDocumentation, readQuestions } from './foreign.ts';

interface Question {
  id: string;
  kb: string;
  question: string;
  kind: string;
  history?: Turn[];
  answerable: boolean;
  articles: string[];
  must: string[][];
}

const HELP = `Fits the model by which answers are picked and judged (src/answering/passages/answer-model.json): the ranking of units and the
probability that they answer. Prints figures by cross-validation over articles and, for the documentations that nothing else was
fitted to, with the whole documentation left out; then fits on all questions.
Questions: answer-questions/*.jsonl and foreign/*.jsonl beside this file.

  node research/eval/fit-answers.ts --data <folder> --bases <folder> [options]

  --data <folder>     the folder of evaluation data
  --bases <folder>    holds a copy of each documentation of foreign/ as <name>/docs
  --with-development  fit with the development questions as well
  --write             write the model; without it only figures are printed
  --gate              write the probability alone: the ranking, and with it the prompts of recorded replies, stays
  --help              this text
`;

const { values } = readCommandLine(HELP, {
  options: {
    data: { type: 'string' },
    bases: { type: 'string' },
    write: { type: 'boolean' },
    gate: { type: 'boolean' },
    'with-development': { type: 'boolean' },
  },
});
const options = {
  ...values,
  data: values.data ?? failUsage('Cannot fit: --data is missing'),
  bases: values.bases ?? failUsage('Cannot fit: --bases is missing'),
};
const here = fileURLToPath(new URL('.', import.meta.url));
const bases: Record<string, EvalBase> = {
  sample: openFolder('sample', SAMPLE_KNOWLEDGE_BASE),
  kb3: openFolder('kb3', join(here, 'answer-questions/kb3')),
  'support-docs': openSupportDocs(options.data),
};
const documentations = basesIn(options.bases);
for (const base of documentations)
  bases[base.name] = {
    name: base.name,
    edition: await openDocumentation(base, join(options.bases, base.name, 'docs')),
  };
const askedByPeople: Question[] = documentations.flatMap(({ name }) =>
  readQuestions(name).map((question) => ({ ...question, kb: name })),
);
const development = readLines<Question>(options.data, 'customer-questions/questions.jsonl');
const training = readdirSync(join(here, 'answer-questions'))
  .filter((name) => name.endsWith('.jsonl'))
  .flatMap((name) => readLines<Question>(join(here, 'answer-questions'), name));

const everyNth = <Of>(of: readonly Of[], count: number): Of[] =>
  of.filter((_, at) => at % Math.max(1, Math.floor(of.length / count)) === 0).slice(0, count);
const unanswered = (kb: string, kind: string, questions: readonly Question[]): Question[] =>
  questions.map((question) => ({
    ...question,
    kb,
    kind,
    answerable: false,
    articles: [],
    must: [],
  }));

/** Messages to a bank: the gate must recognise questions about other subjects, too. */
const bank = readLines<{ text: string }>(options.data, 'banking77/train.jsonl').map(
  ({ text }, at) => ({
    id: `bank-${at}`,
    kb: '',
    question: text,
    kind: '',
    answerable: false,
    articles: [],
    must: [],
  }),
);
/** By knowledge base; the third takes payments itself. */
const BANK_TEXTS: Readonly<Record<string, number>> = { kb3: 0 };
const askedElsewhere = (kb: string): Question[] => {
  const others = training.filter(
    (question) => question.kb !== kb && question.history === undefined,
  );
  return unanswered(kb, 'foreign', [
    ...everyNth(others, 60),
    ...everyNth(bank, BANK_TEXTS[kb] ?? 600),
  ]);
};
const foreign = ['sample', 'kb3', 'support-docs'].flatMap(askedElsewhere);
/** What people ask of other products. */
const OTHER_PRODUCTS = 40;
const askedOfOthers = documentations.flatMap(({ name }) =>
  unanswered(
    name,
    'foreign',
    everyNth(
      askedByPeople.filter(({ kb }) => kb !== name),
      OTHER_PRODUCTS,
    ),
  ),
);

const FOLDS = 5;
const isTuning = (question: JudgedQuestion): boolean => halfOf(question) === 'tuning';

/** Parts of the knowledge bases: where there are few articles, one always stands out, whatever is asked. */
const SMALL = [3, 8, 8, 25, 25];
const OTHERS = 12;
const data = options.data;
const small = (['sample', 'support-docs'] as const).flatMap((kb, place) =>
  SMALL.flatMap((size, at) => {
    const asked = training.filter((question) => question.kb === kb && question.answerable);
    const ids = new Set(
      everyNth([...new Set(asked.flatMap(({ articles }) => articles))].slice(at), size),
    );
    const name = `${kb}, ${size} articles, ${at}`;
    const isIn = (id: string) => ids.has(id);
    bases[name] =
      place === 0 ? openFolder(name, SAMPLE_KNOWLEDGE_BASE, isIn) : openSupportDocs(data, { isIn });
    const own = asked.filter(({ articles }) => articles.every(isIn));
    const others = asked.filter(({ articles }) => !articles.some(isIn));
    return [
      ...own.slice(0, 2 * OTHERS).map((question) => ({ ...question, kb: name, kind: 'small' })),
      ...unanswered(name, 'small', [
        ...everyNth(others, OTHERS),
        ...everyNth(bank.slice(at), OTHERS),
      ]),
    ];
  }),
);

/**
 * Questions about documents, judged by the article that answers: as asked, and again with it removed, which leaves what is close. The
 * held-out halves of these sets and all of `squad2-kb` take no part.
 */
const documents = [
  {
    set: readNq(data),
    isTaken: (question: JudgedQuestion, at: number) => isTuning(question) && at % 2 === 0,
  },
  { set: readMtrag(data), isTaken: isTuning },
  { set: readSupportDocs(data), isTaken: (_: JudgedQuestion, at: number) => at % 8 === 0 },
].flatMap(({ set, isTaken }) => {
  const asked = set.questions.filter(isTaken).map(({ id, text, history, relevant }) => ({
    id,
    kb: set.name,
    question: text,
    kind: 'document',
    history,
    answerable: true,
    articles: [...relevant],
    must: [],
  }));
  bases[set.name] = openArticles(set.name, set.articles);
  const removed = Array.from({ length: FOLDS }, (_, fold) => {
    const name = `${set.name}, ${fold} removed`;
    const gone = asked.filter((_, at) => at % FOLDS === fold);
    const ids = new Set(gone.flatMap(({ articles }) => articles));
    const kept = set.articles.filter(({ id }) => !ids.has(id));
    bases[name] = openArticles(name, kept);
    return unanswered(name, 'removed', gone);
  });
  const isOfCustomers = set.name.startsWith('support-docs');
  return [...asked, ...removed.flat(), ...(isOfCustomers ? [] : askedElsewhere(set.name))];
});

const textOf = ({ parts }: Unit): string =>
  parts
    .map(({ section, pieces }) =>
      [
        section.path.at(-1) ?? '',
        ...pieces.map(({ start, end }) => section.text.slice(start, end)),
      ].join('\n'),
    )
    .join('\n');

const observe = async (question: Question) => {
  const { edition } = bases[question.kb] as EvalBase; // Every question names one that was opened.
  const history = question.history ?? [];
  const retrieve = createRetriever({ wordVectors: shippedWordVectors });
  const texts = [...new Set([question.question, questionWithTurn(question.question, history)])];
  const searches = await Promise.all(
    texts.map(
      async (text, at) =>
        (await retrieve(edition, text, { limit: HITS, history: at === 0 ? history : [] })).outcome,
    ),
  );
  const asked = { history, searches, vectors: shippedWordVectors() };
  const parsed = parseQuestion(edition, question.question, asked);
  const isRight = ({ source }: { source: { id: string } }) =>
    question.articles.includes(source.id) ||
    question.articles.includes(source.id.replace(/\.md$/, ''));
  const candidates = candidateUnits(edition, parsed, asked);
  /** By unit: which of the `must` lists it meets, as bits. */
  const met = new Map(
    candidates.map((candidate) => {
      const text = isRight(candidate) ? plainText(textOf(candidate.unit)) : '';
      const bits = question.must.reduce(
        (sum, any, at) =>
          sum | (any.some((phrase) => text.includes(plainText(phrase).trim())) ? 1 << at : 0),
        0,
      );
      return [candidate.unit, question.answerable ? bits : 0] as const;
    }),
  );
  return { question, edition, asked, parsed, isRight, candidates, met };
};
type Observed = Awaited<ReturnType<typeof observe>>;

const countBits = (bits: number): number => bits.toString(2).replaceAll('0', '').length;
const shareMet = ({ question, met }: Observed, units: readonly Unit[]): number =>
  question.must.length === 0
    ? 0
    : countBits(units.reduce((bits, unit) => bits | (met.get(unit) ?? 0), 0)) /
      question.must.length;

interface Ranking {
  weight: number;
  xs: readonly (readonly number[] | Float64Array)[];
  /** How well each answers, 0 to 1. */
  ys: readonly number[];
}

/** Weights that give what answers most of the softmax of its question (Adam, L2). */
const fitRanking = (rankings: readonly Ranking[], count: number): Float64Array => {
  const lists = rankings.filter(({ ys }) => ys.some((y) => y > 0));
  const weights = new Float64Array(count);
  const first = new Float64Array(count);
  const second = new Float64Array(count);
  for (let step = 1; step <= 150; step++) {
    const slope = weights.map((weight) => 0.5 * weight);
    for (const { weight, xs, ys } of lists) {
      const scores = xs.map((x) => {
        let sum = 0;
        for (let at = 0; at < count; at++) sum += (x[at] ?? 0) * (weights[at] ?? 0);
        return sum;
      });
      const top = Math.max(...scores);
      const odds = scores.map((score) => Math.exp(score - top));
      const total = odds.reduce((sum, each) => sum + each, 0);
      const good = odds.reduce((sum, each, at) => sum + each * (ys[at] ?? 0), 0);
      xs.forEach((x, at) => {
        const change =
          weight * ((odds[at] ?? 0) / total - ((ys[at] ?? 0) * (odds[at] ?? 0)) / good);
        if (Math.abs(change) > 1e-6)
          for (let each = 0; each < count; each++)
            slope[each] = (slope[each] ?? 0) + change * (x[each] ?? 0);
      });
    }
    for (let at = 0; at < count; at++) {
      const g = slope[at] ?? 0;
      first[at] = 0.9 * (first[at] ?? 0) + 0.1 * g;
      second[at] = 0.999 * (second[at] ?? 0) + 0.001 * g * g;
      weights[at] =
        (weights[at] ?? 0) -
        (0.1 * ((first[at] ?? 0) / (1 - 0.9 ** step))) /
          (Math.sqrt((second[at] ?? 0) / (1 - 0.999 ** step)) + 1e-8);
    }
  }
  return weights;
};

const fitUnits = (rows: readonly Observed[]): Float64Array =>
  fitRanking(
    rows
      .filter((row) => !isSmall(row))
      .map((row) => ({
        weight: isByPeople(row) ? PEOPLE_WEIGHT : 1,
        xs: row.candidates.map(({ features }) => features),
        ys: row.candidates.map(({ unit }) => shareMet(row, [unit])),
      })),
    UNIT_FEATURES.length,
  );

/** Questions of people count more than those that a model wrote from the articles. */
const PEOPLE_WEIGHT = 2;
const isByPeople = ({ question: { kb } }: Pick<Observed, 'question'>): boolean =>
  documentations.some(({ name }) => name === kb);

const foldOf = ({ question: { articles, id, kb } }: Observed): number => {
  const documentation = documentations.findIndex(({ name }) => name === kb);
  if (documentation >= 0) return FOLDS + documentation;
  let hash = 0;
  for (const character of articles[0] ?? id) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return hash % FOLDS;
};

const judgeWith = (row: Observed, weights: Float64Array) => {
  const { passages, articles, gate } = pickAnswer(row.edition, {
    question: row.parsed,
    candidates: row.candidates,
    options: row.asked,
    weights,
  });
  const share = shareMet(
    row,
    passages.map(({ unit }) => unit),
  );
  const isCited = passages.some(row.isRight);
  const ofCited = row.question.must.length === 0 ? 1 : 0.3;
  const mark = !row.question.answerable
    ? 0
    : share === 1
      ? 1
      : share > 0
        ? 0.6 * share
        : isCited
          ? ofCited
          : 0;
  return {
    row,
    gate,
    mark,
    isNear: articles.slice(0, 3).some(row.isRight),
    isLinked: passages.some(row.isRight) || articles.slice(0, 3).some(row.isRight),
    length: passages.reduce((sum, { unit }) => sum + unit.size, 0),
  };
};

/**
 * Weights from all questions, so that those about other subjects rank below; then scaled and shifted (Platt) on those that are asked about
 * the knowledge base, so that the probability is right for them.
 */
const fitGate = (
  judged: readonly { row: Observed; gate: number[]; mark: number }[],
): LogisticModel => {
  const labelled = (of: typeof judged) =>
    of.map(({ gate, mark }) => ({ features: gate, label: mark >= 0.6 }));
  const { weights, bias } = fitLogistic(labelled(judged), {
    weigh: 'examples',
    l2: 0.02,
    steps: 800,
    signs: Object.values(GATE_SIGNS),
  });
  const own = labelled(judged.filter(({ row }) => !isForeign(row) && !isSmall(row)));
  const sumOf = (features: readonly number[]) =>
    features.reduce((sum, each, at) => sum + each * (weights[at] ?? 0), bias);
  const scores = own.map(({ features, label }) => ({ features: [sumOf(features)], label }));
  const {
    weights: [slope = 1],
    bias: shift,
  } = fitLogistic(scores, { weigh: 'examples', l2: 0, steps: 800 });
  return { weights: weights.map((weight) => slope * weight), bias: slope * bias + shift };
};

const isDevelopment = ({ question }: Pick<Observed, 'question'>) => development.includes(question);
const isForeign = ({ question }: Pick<Observed, 'question'>) => question.kind === 'foreign';
const isSmall = ({ question }: Pick<Observed, 'question'>) => question.kind === 'small';
/** About documents, or other subjects than theirs. */
const isDocument = ({ question }: Pick<Observed, 'question'>) => documents.includes(question);
const observed: Observed[] = [];
for (const question of [
  ...training,
  ...development,
  ...askedByPeople,
  ...askedOfOthers,
  ...foreign,
  ...small,
  ...documents,
])
  observed.push(await observe(question));
const fitted = options['with-development']
  ? observed
  : observed.filter((row) => !isDevelopment(row));

// By cross-validation: every question is judged by models that saw none about its article.
const judged = Array.from({ length: FOLDS + documentations.length }, (_, fold) => fold).flatMap(
  (fold) => {
    const weights = fitUnits(fitted.filter((row) => foldOf(row) !== fold));
    return observed.filter((row) => foldOf(row) === fold).map((row) => judgeWith(row, weights));
  },
);
const withGate = Array.from({ length: FOLDS + documentations.length }, (_, fold) => fold).flatMap(
  (fold) => {
    const gate = fitGate(judged.filter(({ row }) => foldOf(row) !== fold && fitted.includes(row)));
    return judged
      .filter(({ row }) => foldOf(row) === fold)
      .map((each) => ({ ...each, probability: applyLogistic(gate, each.gate) }));
  },
);

const mean = (values: readonly number[]): string =>
  (values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)).toFixed(3);
const groups: [string, (row: Observed) => boolean][] = [
  ['all', (row) => !isForeign(row) && !isSmall(row) && !isDocument(row)],
  // Decides where to decline (`DECLINED_BELOW`): without the development questions, with those about other subjects.
  ['training', (row) => !isDevelopment(row) && !isDocument(row)],
  ['foreign', isForeign],
  ['people', (row) => isByPeople(row) && !isForeign(row)],
  ['few articles', isSmall],
  ['documents', isDocument],
  ...['sample', 'kb3', 'support-docs', ...documentations.map(({ name }) => name)].map(
    (name): [string, (row: Observed) => boolean] => [
      name,
      (row) => row.question.kb === name && !isForeign(row),
    ],
  ),
  [
    'short, or long without an answer',
    ({ question }) => /^(short|long-unanswerable)$/.test(question.kind),
  ],
  ['development', isDevelopment],
  ['development, sample', (row) => isDevelopment(row) && row.question.kb === 'sample'],
  ['development, support-docs', (row) => isDevelopment(row) && row.question.kb === 'support-docs'],
];
for (const [low, high] of [
  [0, 0],
  [0.16, 0.6],
  [0.18, 0.6],
  [0.2, 0.6],
  [0.22, 0.6],
] as const) {
  console.log(
    `\ndeclined below ${low}, doubtful below ${high}: marks of answerable / unanswerable (four to one), declined / doubtful of answerable`,
  );
  for (const [name, isIn] of groups) {
    const rows = withGate.filter(({ row }) => isIn(row));
    const answerable = rows.filter(({ row }) => row.question.answerable);
    const others = rows.filter(({ row }) => !row.question.answerable);
    const marks = answerable.map(({ probability, isNear, mark }) =>
      probability < low ? (isNear ? 0.25 : 0) : mark,
    );
    const refusals = others.map(({ probability }) =>
      probability < low ? 1 : probability < high ? 0.5 : 0,
    );
    const declined = answerable.map(({ probability }) => (probability < low ? 1 : 0));
    const doubtful = answerable.map(({ probability }) =>
      probability >= low && probability < high ? 1 : 0,
    );
    console.log(
      `${name.padEnd(26)} ${mean(marks)} / ${mean(refusals)} (${(0.8 * Number(mean(marks)) + 0.2 * Number(mean(refusals))).toFixed(3)})   ${mean(declined)} / ${mean(doubtful)}   (${answerable.length} and ${others.length}), ${mean(answerable.map(({ length }) => length))} characters, right article cited or among the first three ${mean(answerable.map(({ isLinked }) => (isLinked ? 1 : 0)))}`,
    );
  }
}
for (let from = 0; from < 1; from += 0.2) {
  const rows = withGate.filter(
    ({ row, probability }) =>
      !isForeign(row) &&
      !isSmall(row) &&
      !isDocument(row) &&
      probability >= from &&
      probability < from + 0.2,
  );
  console.log(
    `probability ${from.toFixed(1)} to ${(from + 0.2).toFixed(1)}: ${rows.length} questions, ${mean(rows.map(({ mark }) => (mark >= 0.6 ? 1 : 0)))} answered`,
  );
}

console.log(
  '\nknowledge base left out of the fit: error of the probability, AUROC of answerable against removed, elsewhere below .2',
);
for (const base of ['sample', 'kb3', 'support-docs', 'nq-wiki', 'mtrag-un']) {
  const isOf = ({ row }: { row: Observed }) => row.question.kb.startsWith(base);
  const gate = fitGate(judged.filter((each) => fitted.includes(each.row) && !isOf(each)));
  const own = judged
    .filter((each) => isOf(each) && !isDevelopment(each.row) && !isSmall(each.row))
    .map((each) => ({
      ...each,
      confidence: applyLogistic(gate, each.gate),
      isRight: each.mark >= 0.6,
    }));
  const asked = own.filter(({ row }) => !isForeign(row));
  const of = (kind: string) =>
    asked.filter(({ row }) => row.question.kind === kind).map(({ confidence }) => confidence);
  const elsewhere = own.filter(({ row }) => isForeign(row));
  const refused = mean(elsewhere.map(({ confidence }) => (confidence < 0.2 ? 1 : 0)));
  const area = areaUnderCurve(of('document'), of('removed')).toFixed(3);
  console.log(`${base.padEnd(14)} ${calibrationError(asked).toFixed(3)}   ${area}   ${refused}`);
}

if (options.write) {
  const units = fitUnits(fitted);
  const gate = fitGate(judged.filter(({ row }) => fitted.includes(row)));
  const rounded = (value: number | undefined) => Math.round((value ?? 0) * 1e4) / 1e4;
  const named = (names: readonly string[], values: ArrayLike<number>) =>
    Object.fromEntries(names.map((name, at) => [name, rounded(values[at])]));
  const model = {
    units: options.gate ? MODEL.units : named(UNIT_FEATURES, units),
    gate: named(Object.keys(GATE_SIGNS), gate.weights),
    gateBias: rounded(gate.bias),
  };
  const file = join(here, '../../src/answering/passages/answer-model.json');
  writeFileSync(file, `${JSON.stringify(model, undefined, 2)}\n`);
  console.log(`written: ${file}, fitted on ${fitted.length} questions`);
}
