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
import { intentTitle } from '../../support/intent-titles.ts';
import { count, formatDate, formatNumber, formatShare, t } from '../../texts/texts.ts';

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
  (Object.keys(RANGES) as Range[]).find((each) => each === query.get('range')) ?? '7d'; // keys of the record above

/** What was asked, and how it ended. Each number leads to the answers that it counts. */
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
          options={(Object.keys(RANGES) as Range[]).map((each) => ({
            value: each,
            label: t(`charts.range.${each}`),
          }))}
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
  const { buckets } = statistics;
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
          name: t(`verdict.${verdict}`),
          tone,
          values: buckets.map(({ verdicts }) => verdicts[verdict]),
        }))}
        hrefOf={(index, at) => hrefOf(index, { verdict: shown[at]?.[0] })}
      />
      <Groups statistics={statistics} />
    </>
  );
};

/** Thanks and greetings ask nothing. */
const questionsOf = ({
  total,
  verdicts,
}: Pick<AnswerStatistics['interfaces'][number], 'total' | 'verdicts'>): number =>
  total - verdicts.closes;

const shareOf = (part: number, whole: number): string =>
  formatShare(whole === 0 ? 0 : part / whole);

type Kind = 'interface' | 'librarian' | 'intent';

interface Group {
  name: string;
  label: string;
  total: number;
  /** Share of its questions, 0 to 1; undefined when it has only thanks. */
  answered: number | undefined;
}

/** Through what questions came, who answered, and what they were about, with the share that was answered. */
export function Groups({ statistics }: { statistics: AnswerStatistics }) {
  const { interfaces, librarians, intents } = statistics;
  const kinds: readonly [kind: Kind, groups: Group[]][] = [
    [
      'interface',
      interfaces.map((group) => groupOf(group.interface, t(`interface.${group.interface}`), group)),
    ],
    ['librarian', librarians.map((group) => groupOf(group.librarian, group.librarian, group))],
    ['intent', intents.map((group) => groupOf(group.intent, intentTitle(group.intent), group))],
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
                  id: 'name',
                  label: t(`answers.${kind}`),
                  sort: ({ label }) => label,
                  cell: ({ name, label }) => (
                    <a
                      href={answersAddress({
                        from: statistics.from,
                        to: statistics.to,
                        [kind]: name,
                      })}
                    >
                      {label}
                    </a>
                  ),
                },
                {
                  id: 'total',
                  label: t('view.answers'),
                  align: 'right',
                  sort: ({ total }) => total,
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
}

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
