import { may } from '../../session/deployment.ts';
import type { ViewProps } from '../../shell/view-entry.ts';
import { MessageAnalysis } from './message-analysis.tsx';
import { Outcomes } from './outcomes.tsx';
import { Requests } from './requests.tsx';
import { TicketList } from './ticket-list.tsx';

/** Messages that came in by helpdesks, with what was written for each; `/tickets/analyse` reads a message that is typed here. */
const TicketsView = ({ parts: [page], query }: ViewProps) =>
  page === 'analyse' ? (
    <MessageAnalysis />
  ) : (
    <>
      <TicketList query={query} />
      {may('helpdesk:read') === true ? (
        <>
          <Requests />
          <Outcomes />
        </>
      ) : null}
    </>
  );

export default TicketsView;
