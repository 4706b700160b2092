import type { AnswerStatistics, AnswerVerdict } from '../../../../contract/wire/answers.ts';
import { answersAddress, navigate } from '../../navigation/router.ts';
import { Chart } from '../../parts/chart.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Share } from '../../parts/values.tsx';
import { client } from '../../session/deployment.ts';
import { useLoaded } from '../../session/loaded.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { count, formatDate, formatDollars, formatMs, formatNumber, formatShare, t } from '../../texts/texts.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Each with its buckets, the present one included. */
const RANGES = {
  '24h': { bucket: 'hour', buckets: 24, bucketMs: HOUR_MS },
  '7d': { bucket: 'day', buckets: 7, bucketMs: DAY_MS },
  '30d': { bucket: 'day', buckets: 30, bucketMs: DAY_MS },
} as const;
type Range = keyof typeof RANGES;

const rangeIn = (query: URLSearchParams): Range =>
  (Object.keys(RANGES) as Range[]).find((each) => each === query.get('range')) ?? '30d'; // keys of the record above

/** What was asked, how it ended, how long that took and what it cost. Each number leads to the answers that it counts. */
const ChartsView = ({ query }: ViewProps) => {
  const range = rangeIn(query);
  const { value, failure, load } = useLoaded<AnswerStatistics>(
    (signal) => {
      const { bucket, buckets, bucketMs } = RANGES[range];
      const from = new Date(Date.now() - (buckets - 1) * bucketMs).toISOString();
      return client.answers.statistics({ from, bucket }, { signal });
    },
    [range],
  );
  return (
    <div class="charts">
      <div class="title">
        <h1>{t('view.charts')}</h1>
        <Choice
          label={t('charts.range')}
          value={range}
          onChoose={(chosen: Range) => navigate(`/charts?range=${chosen}`, { replace: true })}
          options={(Object.keys(RANGES) as Range[]).map((each) => ({ value: each, label: t(`charts.range.${each}`) }))}
        />
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value === undefined ? (
        failure === undefined ? (
          <Loading lines={12} />
        ) : null
      ) : value.total === 0 ? (
        <Empty icon="charts" title={t('charts.none')}>
          <p>{t('charts.none_text')}</p>
        </Empty>
      ) : (
        <Charts statistics={value} isHourly={RANGES[range].bucket === 'hour'} />
      )}
    </div>
  );
};

/** The order of the parts of a bar, from below; each has a colour of its own. */
const VERDICTS = [
  ['answered', 'sure'],
  ['hedged', 'weak'],
  ['declined', 'none'],
  ['clarifying', 'accent'],
  ['closes', 'closes'],
  ['person', 'person'],
  ['error', 'unsure'],
] as const satisfies readonly (readonly [AnswerVerdict, string])[];

const Charts = ({ statistics, isHourly }: { statistics: AnswerStatistics; isHourly: boolean }) => {
  const { buckets, latency, total } = statistics;
  const time = {
    label: t(isHourly ? 'charts.hour' : 'charts.day'),
    labels: buckets.map(({ from }) => formatDate(new Date(from), isHourly)),
  };
  const sum = (of: (bucket: (typeof buckets)[number]) => number): number =>
    buckets.reduce((before, bucket) => before + of(bucket), 0);
  const hrefOf = (index: number, filter: { verdict?: AnswerVerdict | undefined } = {}): string => {
    const { from, to } = buckets[index] ?? statistics;
    return answersAddress({ ...filter, from, to });
  };
  const shown = VERDICTS.filter(([verdict]) => sum(({ verdicts }) => verdicts[verdict]) > 0);
  const questions = sum(questionsOf);
  const answered = sum(({ verdicts }) => verdicts.answered);
  const unsure = sum(({ verdicts }) => verdicts.hedged);
  const declined = sum(({ verdicts }) => verdicts.declined);
  const failed = sum(({ verdicts }) => verdicts.error);
  const tokens = sum((bucket) => bucket.tokens);
  const cached = sum((bucket) => bucket.cached);
  const dollars = sum(({ cost_usd: cost }) => cost);
  return (
    <>
      <Chart
        form="stack"
        title={[
          count('charts.outcomes', questions, {
            answered: shareOf(answered, questions),
            unsure: shareOf(unsure, questions),
            declined: shareOf(declined, questions),
          }),
          ...(failed === 0 ? [] : [t('charts.failed', { failed: shareOf(failed, questions) })]),
        ].join(', ')}
        {...time}
        series={shown.map(([verdict, tone]) => ({
          ...{ name: t(`verdict.${verdict}`), tone },
          values: buckets.map(({ verdicts }) => verdicts[verdict]),
        }))}
        hrefOf={(index, at) => hrefOf(index, { verdict: shown[at]?.[0] })}
      />
      <div class="chart-grid">
        {latency.total === null ? null : (
          <Chart
            form="line"
            scale="log"
            format={formatMs}
            title={t('charts.latency', { p50: formatMs(latency.total.p50), p90: formatMs(latency.total.p90) })}
            {...time}
            series={[
              { name: t('charts.p50'), values: buckets.map((bucket) => bucket.latency?.p50 ?? null) },
              { name: t('charts.p90'), values: buckets.map((bucket) => bucket.latency?.p90 ?? null) },
            ]}
            hrefOf={(index) => hrefOf(index)}
          />
        )}
        <Stages latency={latency} />
        {tokens === 0 ? (
          <p class="quiet">{t('charts.no_tokens')}</p>
        ) : (
          <>
            <Chart
              form="bar"
              title={t('charts.tokens', {
                tokens: formatNumber(tokens),
                each: formatNumber(Math.round(tokens / total)),
              })}
              {...time}
              series={[{ name: t('charts.tokens_name'), values: buckets.map((bucket) => bucket.tokens) }]}
              hrefOf={(index) => hrefOf(index)}
            />
            <Chart
              form="bar"
              format={formatDollars}
              title={t('charts.cost', { cost: formatDollars(dollars), each: formatDollars(dollars / total) })}
              {...time}
              series={[{ name: t('answers.cost'), values: buckets.map(({ cost_usd: cost }) => cost) }]}
              hrefOf={(index) => hrefOf(index)}
            />
          </>
        )}
        {cached === 0 ? (
          <p class="quiet">{t('charts.no_cached')}</p>
        ) : (
          <Chart
            form="bar"
            title={t('charts.cached', { share: formatShare(cached / total) })}
            {...time}
            series={[{ name: t('charts.cached_name'), values: buckets.map((bucket) => bucket.cached) }]}
            hrefOf={(index) => hrefOf(index)}
          />
        )}
        <Confidence statistics={statistics} />
        <Calibration statistics={statistics} />
      </div>
      <Groups statistics={statistics} />
    </>
  );
};

/** Thanks and greetings ask nothing. */
const questionsOf = ({ total, verdicts }: Pick<AnswerStatistics['interfaces'][number], 'total' | 'verdicts'>): number =>
  total - verdicts.closes;

const shareOf = (part: number, whole: number): string => formatShare(whole === 0 ? 0 : part / whole);

/** The answers of one tenth of confidence. */
const tenthAddress = (
  { confidence, from, to }: AnswerStatistics,
  index: number,
  filter: { feedback?: 'any' } = {},
): string => {
  const tenth = confidence[index];
  const range = { confidence_from: tenth && `${tenth.from}`, confidence_to: tenth && `${tenth.to}` };
  return answersAddress({ ...filter, ...range, from, to });
};

const tenthsOf = ({ confidence }: AnswerStatistics): string[] =>
  confidence.map(({ from, to }) => `${formatNumber(Math.round(from * 100))}–${formatShare(to)}`);

const Confidence = ({ statistics }: { statistics: AnswerStatistics }) => (
  <Chart
    form="bar"
    title={t('charts.confidence')}
    label={t('answers.confidence')}
    labels={tenthsOf(statistics)}
    series={[{ name: t('view.answers'), values: statistics.confidence.map(({ total }) => total) }]}
    hrefOf={(index) => tenthAddress(statistics, index)}
  />
);

/** Whether answers that say "80 % sure" are right in 80 of 100 cases, as far as people have judged them. */
const Calibration = ({ statistics }: { statistics: AnswerStatistics }) => {
  const judged = statistics.confidence.map((tenth) => tenth.judged);
  const sum = (of: (each: (typeof judged)[number]) => number): number =>
    judged.reduce((total, each) => total + of(each), 0);
  const total = sum((each) => each.total);
  if (total === 0)
    return (
      <Empty icon="up-thumb" title={t('charts.not_judged')}>
        <p>{t('charts.not_judged_text')}</p>
      </Empty>
    );
  return (
    <Chart
      form="line"
      title={count('charts.calibration', total, {
        stated: formatShare(sum((each) => each.total * (each.confidence ?? 0)) / total),
        right: formatShare(sum(({ right }) => right) / total),
      })}
      format={formatShare}
      label={t('answers.confidence')}
      labels={tenthsOf(statistics)}
      counts={{ name: t('charts.judged'), values: judged.map((each) => each.total) }}
      series={[
        { name: t('charts.right'), values: judged.map((each) => (each.total === 0 ? null : each.right / each.total)) },
        { name: t('charts.stated'), values: judged.map(({ confidence }) => confidence) },
      ]}
      hrefOf={(index) => tenthAddress(statistics, index, { feedback: 'any' })}
    />
  );
};

const STAGES = ['understanding', 'routing', 'answering', 'first_statement', 'total'] as const;

/** How long each stage of an answer takes. */
export const Stages = ({ latency }: Pick<AnswerStatistics, 'latency'>) => {
  const rows = STAGES.flatMap((stage) => (latency[stage] === null ? [] : [{ stage, ...latency[stage] }]));
  return (
    <section>
      <h2>{t('charts.stages')}</h2>
      <Table
        caption={t('charts.stages')}
        rows={rows}
        columns={[
          { id: 'stage', label: t('charts.stage'), cell: ({ stage }) => t(`stage.${stage}`) },
          { id: 'count', label: t('view.answers'), align: 'right', cell: (row) => formatNumber(row.count) },
          ...(['p50', 'p90', 'p99'] as const).map((percentile) => ({
            ...{ id: percentile, label: t(`charts.${percentile}`), align: 'right' as const },
            cell: (row: (typeof rows)[number]) => formatMs(row[percentile]),
          })),
        ]}
      />
    </section>
  );
};

type Kind = 'interface' | 'librarian' | 'intent';

interface Group {
  name: string;
  label: string;
  total: number;
  /** Share of its questions, 0 to 1; undefined when it has only thanks. */
  answered: number | undefined;
}

/** Through what questions came, who answered, and what they were about, with the share that was answered. */
export const Groups = ({ statistics }: { statistics: AnswerStatistics }) => {
  const { interfaces, librarians, intents } = statistics;
  const kinds: readonly [kind: Kind, groups: Group[]][] = [
    ['interface', interfaces.map((group) => groupOf(group.interface, t(`interface.${group.interface}`), group))],
    ['librarian', librarians.map((group) => groupOf(group.librarian, group.librarian, group))],
    ['intent', intents.map((group) => groupOf(group.intent, group.intent, group))],
  ];
  return (
    <div class="chart-grid">
      {kinds.map(([kind, groups]) =>
        groups.length === 0 ? null : (
          <section key={kind}>
            <h2>{t(`charts.by_${kind}`)}</h2>
            <Table<Group>
              caption={t(`charts.by_${kind}`)}
              rows={groups}
              pageSize={12}
              columns={[
                {
                  ...{ id: 'name', label: t(`answers.${kind}`), sort: ({ label }) => label },
                  cell: ({ name, label }) => (
                    <a href={answersAddress({ from: statistics.from, to: statistics.to, [kind]: name })}>{label}</a>
                  ),
                },
                {
                  ...{ id: 'total', label: t('view.answers'), align: 'right', sort: ({ total }) => total },
                  cell: ({ total }) => formatNumber(total),
                },
                {
                  id: 'share',
                  label: t('charts.answered'),
                  sort: ({ answered }) => answered ?? -1,
                  cell: ({ answered }) => (answered === undefined ? '–' : <Share of={answered} />),
                },
              ]}
            />
          </section>
        ),
      )}
    </div>
  );
};

const groupOf = (
  name: string,
  label: string,
  group: Pick<AnswerStatistics['interfaces'][number], 'total' | 'verdicts'>,
): Group => {
  const questions = questionsOf(group);
  const answered = questions === 0 ? undefined : group.verdicts.answered / questions;
  return { name, label, total: group.total, answered };
};

export default ChartsView;
