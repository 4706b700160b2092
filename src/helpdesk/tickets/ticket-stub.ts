import type { MessageEvent } from './accept-event.ts';
import type { WorkOutcome } from './ticket-case.ts';
import type { TicketPlace } from './ticket-message.ts';

/** What others may ask of a ticket's object. */
export interface TicketStub {
  accept(place: TicketPlace, event: MessageEvent): Promise<void>;
  work(place: TicketPlace): Promise<WorkOutcome>;
  postpone(place: TicketPlace, until: number): Promise<void>;
  replay(place: TicketPlace, jobs: readonly number[]): Promise<number[]>;
}
