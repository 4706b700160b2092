import type { AnswerStatistics, AnswerVerdict } from '../../../contract/answers.ts';
import { answersAddress } from '../../navigation/answers-address.ts';
import { navigate } from '../../navigation/router.ts';
import { Chart } from '../../parts/chart.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { client } from '../../session/deployment.ts';
import { useLoaded } from '../../session/loaded.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { count, formatDate, formatDollars, formatMs, formatNumber, formatShare, t } from '../../texts/texts.ts';
import { Groups, Stages } from './groups.tsx';

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

/** The order of the parts of a bar, from below. */
const VERDICTS = [
  ['answered', 'sure'],
  ['hedged', 'weak'],
  ['declined', 'none'],
  ['clarifying', 'accent'],
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
  const answered = sum(({ verdicts }) => verdicts.answered + verdicts.hedged);
  const declined = sum(({ verdicts }) => verdicts.declined);
  const tokens = sum((bucket) => bucket.tokens);
  const cached = sum((bucket) => bucket.cached);
  const dollars = sum(({ cost_usd: cost }) => cost);
  return (
    <>
      <Chart
        form="stack"
        title={count('charts.outcomes', total, {
          answered: formatShare(answered / total),
          declined: formatShare(declined / total),
        })}
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

export default ChartsView;
