import type { HelpdeskStatus } from '../../../contract/tickets.ts';
import { Icon } from '../../parts/icon.tsx';
import { Age } from '../../parts/time.tsx';
import { count, t } from '../../texts/texts.ts';

/** The helpdesks of the workspace, with what is wrong with their connections. */
export const Connections = ({ helpdesks }: { helpdesks: readonly HelpdeskStatus[] }) =>
  helpdesks.length === 0 ? null : (
    <ul class="connections" aria-label={t('tickets.connections')}>
      {helpdesks.map(({ helpdesk, problem, refused, last_refused_at: at }) => (
        <li key={helpdesk}>
          <p class={`job ${problem === null ? 'done' : 'dead'}`}>
            <Icon name={problem === null ? 'check' : 'warning'} /> <strong>{helpdesk}</strong>{' '}
            {t(problem === null ? 'tickets.connected' : 'tickets.unusable')}
          </p>
          {problem === null ? null : <p class="small">{problem}</p>}
          {refused === 0 ? null : (
            <p class="small">
              {count('tickets.refused', refused)}
              {at === null ? null : (
                <>
                  {' · '}
                  <Age of={at} />
                </>
              )}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
