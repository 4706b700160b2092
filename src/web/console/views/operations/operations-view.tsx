import { may } from '../../session/deployment.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { t } from '../../texts/texts.ts';
import { Figures } from './figures.tsx';
import { TicketQueue } from './ticket-queue.tsx';

/** For those who run the deployment: the queue of tickets, and what answers take and cost. */
const OperationsView = ({ query }: ViewProps) => (
  <div class="charts">
    <h1>{t('view.operations')}</h1>
    {may('helpdesk:write') === false ? null : <TicketQueue query={query} />}
    {may('answers:read') === false ? null : <Figures query={query} />}
  </div>
);

export default OperationsView;
