import type { TicketOutcomes } from '../../../contract/tickets.ts';
import { Share } from '../../parts/share.tsx';
import { Table } from '../../parts/table.tsx';
import { call } from '../../session/deployment.ts';
import { useLoaded } from '../../session/loaded.ts';
import { t } from '../../texts/texts.ts';

/** What agents made of drafts, by intent and by cited article; nothing before the first reply was compared. */
export const Outcomes = () => {
  const { value } = useLoaded<TicketOutcomes>(
    (signal) => call('GET /v1/support/tickets/outcomes', { intents: 'objects', articles: 'objects' }, { signal }),
    [],
  );
  if (value === undefined || value.intents.length === 0) return null;
  const rows = [
    ...value.intents.map(({ intent, ...counts }) => ({ name: intent, ...counts })),
    ...value.articles.map(({ url, ...counts }) => ({ name: url, ...counts })),
  ];
  return (
    <section>
      <h2>{t('outcomes.title')}</h2>
      <Table
        caption={t('outcomes.title')}
        rows={rows}
        columns={[
          { id: 'name', label: t('outcomes.name'), cell: ({ name }) => name },
          ...(['kept', 'edited', 'discarded', 'up', 'down'] as const).map((id) => ({
            ...{ id, label: t(`outcomes.${id}`), align: 'right' as const },
            sort: (row: (typeof rows)[number]) => row[id],
            cell: (row: (typeof rows)[number]) => row[id],
          })),
          {
            id: 'share',
            label: t('outcomes.share'),
            sort: ({ share }) => share,
            cell: ({ share }) => <Share of={share} />,
          },
        ]}
      />
    </section>
  );
};
