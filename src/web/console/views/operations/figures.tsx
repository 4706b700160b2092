import type { AnswerStatistics } from '../../../../contract/wire/answers.ts';
import { answersAddress, navigate } from '../../navigation/router.ts';
import { Chart } from '../../parts/chart.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { client } from '../../session/deployment.ts';
import { useLoaded } from '../../session/loaded.ts';
import {
  count,
  formatDate,
  formatDollars,
  formatMs,
  formatNumber,
  formatShare,
  t,
} from '../../texts/texts.ts';

const DAY_MS = 86_400_000;
const DAYS = ['7', '30'] as const;
type Days = (typeof DAYS)[number];

/** How long answers take, what they cost, and how sure they are. Each point leads to its answers. */
export function Figures({ query }: { query: URLSearchParams }) {
  const days = DAYS.find((each) => each === query.get('days')) ?? '7';
  const { value, failure, load } = useLoaded<AnswerStatistics>(
    (signal) => {
      const from = new Date(Date.now() - (Number(days) - 1) * DAY_MS).toISOString();
      return client.answers.statistics({ from, bucket: 'day' }, { signal });
    },
    [days],
  );
  const choose = (chosen: Days): void => {
    const changed = new URLSearchParams(query);
    changed.set('days', chosen);
    navigate(`/operations?${changed}`, { replace: true });
  };
  return (
    <section class="operations-figures">
      <div class="row between">
        <h2>{t('operations.figures')}</h2>
        <Choice<Days>
          label={t('charts.range')}
          value={days}
          onChoose={choose}
          options={DAYS.map((each) => ({ value: each, label: t(`charts.range.${each}d`) }))}
        />
      </div>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value === undefined ? (
        failure === undefined ? (
          <Loading lines={12} />
        ) : null
      ) : value.total === 0 ? (
        <p class="quiet">{t('charts.none')}</p>
      ) : (
        <AnswerFigures statistics={value} />
      )}
    </section>
  );
}

const AnswerFigures = ({ statistics }: { statistics: AnswerStatistics }) => {
  const { buckets, latency, total } = statistics;
  const time = {
    label: t('charts.day'),
    labels: buckets.map(({ from }) => formatDate(new Date(from), false)),
  };
  const sum = (figure: (bucket: (typeof buckets)[number]) => number): number =>
    buckets.reduce((subtotal, bucket) => subtotal + figure(bucket), 0);
  const hrefOf = (index: number): string => {
    const { from, to } = buckets[index] ?? statistics;
    return answersAddress({ from, to });
  };
  const tokens = sum((bucket) => bucket.tokens);
  const cached = sum((bucket) => bucket.cached);
  const dollars = sum(({ cost_usd: cost }) => cost);
  return (
    <div class="chart-grid">
      {latency.total === null ? null : (
        <Chart
          form="line"
          scale="log"
          format={formatMs}
          title={t('charts.latency', {
            p50: formatMs(latency.total.p50),
            p90: formatMs(latency.total.p90),
          })}
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
            series={[
              { name: t('charts.tokens_name'), values: buckets.map((bucket) => bucket.tokens) },
            ]}
            hrefOf={(index) => hrefOf(index)}
          />
          <Chart
            form="bar"
            format={formatDollars}
            title={t('charts.cost', {
              cost: formatDollars(dollars),
              each: formatDollars(dollars / total),
            })}
            {...time}
            series={[
              { name: t('answers.cost'), values: buckets.map(({ cost_usd: cost }) => cost) },
            ]}
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
          series={[
            { name: t('charts.cached_name'), values: buckets.map((bucket) => bucket.cached) },
          ]}
          hrefOf={(index) => hrefOf(index)}
        />
      )}
      <Confidence statistics={statistics} />
      <Calibration statistics={statistics} />
    </div>
  );
};

/** The answers of one tenth of confidence. */
const tenthAddress = (
  { confidence, from, to }: AnswerStatistics,
  index: number,
  filter: { feedback?: 'any' } = {},
): string => {
  const tenth = confidence[index];
  const range = {
    confidence_from: tenth && `${tenth.from}`,
    confidence_to: tenth && `${tenth.to}`,
  };
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
        {
          name: t('charts.right'),
          values: judged.map((each) => (each.total === 0 ? null : each.right / each.total)),
        },
        { name: t('charts.stated'), values: judged.map(({ confidence }) => confidence) },
      ]}
      hrefOf={(index) => tenthAddress(statistics, index, { feedback: 'any' })}
    />
  );
};

const STAGES = ['understanding', 'routing', 'answering', 'first_statement', 'total'] as const;

/** How long each stage of an answer takes. */
const Stages = ({ latency }: Pick<AnswerStatistics, 'latency'>) => {
  const rows = STAGES.flatMap((stage) =>
    latency[stage] === null ? [] : [{ stage, ...latency[stage] }],
  );
  return (
    <section>
      <h2>{t('charts.stages')}</h2>
      <Table
        caption={t('charts.stages')}
        rows={rows}
        columns={[
          { id: 'stage', label: t('charts.stage'), cell: ({ stage }) => t(`stage.${stage}`) },
          {
            id: 'count',
            label: t('view.answers'),
            align: 'right',
            cell: (row) => formatNumber(row.count),
          },
          ...(['p50', 'p90', 'p99'] as const).map((percentile) => ({
            id: percentile,
            label: t(`charts.${percentile}`),
            align: 'right' as const,
            cell: (row: (typeof rows)[number]) => formatMs(row[percentile]),
          })),
        ]}
      />
    </section>
  );
};
