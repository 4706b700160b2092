import type { HelpdeskStatus } from '../../../contract/wire/tickets.ts';
import { Icon } from '../parts/button.tsx';
import { Age } from '../parts/values.tsx';
import { count, t } from '../texts/texts.ts';
import { helpdeskName } from './helpdesk-name.ts';

/** In the console's language, where the reason is one of those that this version gives. */
export function reasonText(reason: string): string {
  const name = Object.entries(REASONS).find(([, each]) => each === reason)?.[0] as
    | keyof typeof REASONS
    | undefined;
  return name === undefined ? reason : t(`tickets.reason_${name}`);
}

const REASONS = {
  reply: 'an automatic reply',
  bounce: 'a delivery report',
  acknowledgement: 'an acknowledgement of another desk',
  list: 'mail of a list',
  generated: 'automatic mail',
  no_reply: 'mail from an address that takes no replies',
  empty: 'a message without words',
} as const;

/** The helpdesks of the workspace, with what is wrong with their connections. */
export function Connections({ helpdesks }: { helpdesks: readonly HelpdeskStatus[] }) {
  return helpdesks.length === 0 ? null : (
    <ul class="connections" aria-label={t('tickets.connections')}>
      {helpdesks.map(({ helpdesk, problem, refused, last_refused_at: at }) => (
        <li key={helpdesk}>
          <p class={`job ${problem === null ? 'done' : 'dead'}`}>
            <Icon name={problem === null ? 'check' : 'warning'} />{' '}
            <strong>{helpdeskName(helpdesk)}</strong>{' '}
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
}
