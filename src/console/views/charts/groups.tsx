import type { AnswerStatistics } from '../../../contract/answers.ts';
import { answersAddress } from '../../navigation/answers-address.ts';
import { Share } from '../../parts/share.tsx';
import { Table } from '../../parts/table.tsx';
import { formatMs, formatNumber, t } from '../../texts/texts.ts';

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
  answered: number;
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
                  ...{ id: 'share', label: t('charts.answered'), sort: ({ answered, total }) => answered / total },
                  cell: ({ answered, total }) => <Share of={answered / total} />,
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
  { total, verdicts }: Pick<AnswerStatistics['interfaces'][number], 'total' | 'verdicts'>,
): Group => ({ name, label, total, answered: verdicts.answered + verdicts.hedged });
