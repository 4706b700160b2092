import type { AuditEntry, AuditPage } from '../../../../contract/wire/audit.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { client } from '../../session/deployment.ts';
import { usePages } from '../../session/loaded.ts';
import { formatMoment, type TextKey, t } from '../../texts/texts.ts';

/** Acts of administration of the workspace: who did what, when, and how it ended. */
const AuditView = () => {
  const pages = usePages<AuditEntry, AuditPage>(
    (cursor, signal) => client.audit({ cursor }, { signal }),
    {
      itemsOf: ({ entries }) => entries,
      inputs: [],
    },
  );
  return (
    <div class="audit">
      <h1>{t('view.audit')}</h1>
      <p class="quiet">{t('audit.text')}</p>
      {pages.failure === undefined ? null : <Failure error={pages.failure} retry={pages.load} />}
      {pages.last !== undefined ? (
        <Table
          caption={t('view.audit')}
          rows={pages.items}
          onMore={pages.more}
          isLoading={pages.isLoading}
          columns={columns()}
          empty={<Empty icon="check" title={t('audit.none')} />}
        />
      ) : pages.failure === undefined ? (
        <Loading lines={8} />
      ) : null}
    </div>
  );
};

const columns = (): Parameters<typeof Table<AuditEntry>>[0]['columns'] => [
  {
    id: 'at',
    label: t('audit.at'),
    sort: ({ at }) => at,
    cell: ({ at }) => <time dateTime={at}>{formatMoment(new Date(at))}</time>,
  },
  {
    id: 'by',
    label: t('audit.by'),
    sort: ({ by, name }) => name ?? by,
    cell: ({ by, name, authentication }) => (
      <>
        {name === undefined ? null : <div>{name}</div>}
        <code class="small">{by}</code>{' '}
        <span class="quiet small">{t(`audit.by_${authentication}`)}</span>
      </>
    ),
  },
  {
    id: 'action',
    label: t('audit.action'),
    sort: ({ action }) => nameOf(action),
    cell: ({ action, parameters }) => (
      <>
        {nameOf(action)}
        {parameters === undefined ? null : (
          <span class="quiet small"> {parameters.join(', ')}</span>
        )}
      </>
    ),
  },
  {
    id: 'target',
    label: t('audit.target'),
    sort: ({ target }) => target ?? '',
    cell: ({ target }) => target ?? '–',
  },
  {
    id: 'outcome',
    label: t('audit.outcome'),
    sort: ({ outcome }) => outcome,
    cell: ({ outcome, status }) => (outcome === 'ok' ? t('audit.ok') : `${outcome} (${status})`),
  },
];

/** In words, where this version knows the act; else method and path. */
const nameOf = (action: string): string => {
  const key = ACTS[action];
  return key === undefined ? action : t(key);
};

const ACTS: Readonly<Record<string, TextKey>> = {
  'DELETE /v1/answers': 'audit.erase_answers',
  'DELETE /v1/answers/{id}': 'audit.erase_answer',
  'POST /v1/answers/{id}/replay': 'audit.replay_answer',
  'POST /v1/knowledge/editions/{id}/activate': 'audit.activate_edition',
  'POST /v1/sync': 'audit.sync',
  'PUT /api/kb/articles/{id}': 'audit.save_article',
  'DELETE /api/kb/articles/{id}': 'audit.delete_article',
  'PUT /v1/support/taxonomy': 'audit.change_taxonomy',
  'DELETE /v1/support/taxonomy': 'audit.delete_taxonomy',
  'PUT /v1/support/settings': 'audit.change_settings',
  'POST /v1/support/tickets/replay': 'audit.replay_tickets',
  'PUT /v1/support/tickets': 'audit.restore_tickets',
  'DELETE /v1/support/tickets/draft': 'audit.erase_draft',
  'DELETE /v1/support/requests': 'audit.erase_requests',
  'PUT /v1/knowledge/gaps/records': 'audit.restore_gaps',
  'DELETE /v1/knowledge/gaps': 'audit.erase_gaps',
  'DELETE /v1/knowledge/gaps/{id}': 'audit.erase_gap',
  'PUT /v1/knowledge/checks': 'audit.change_checks',
  'DELETE /v1/knowledge/checks/{id}': 'audit.delete_check',
  'DELETE /v1/a2a/tasks': 'audit.erase_tasks',
  'PUT /v1/workspaces/{workspace_id}/memories': 'audit.restore_memories',
  'DELETE /v1/workspaces/{workspace_id}/memories': 'audit.erase_memories',
  'DELETE /v1/workspaces/{workspace_id}/memories/{id}': 'audit.erase_memory',
};

export default AuditView;
