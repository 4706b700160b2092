// No TypeScript: what it extends has types of the runtime, which nothing else in this folder may see.
import { DeskObject as Desk, TicketObject as Ticket } from '../../src/helpdesk/tickets/durable-objects.ts';

/** Has an object's alarm ring now, and tells when it rings next. */
const alarmOf = ({ storage }) => ({
  ring: async (known) => {
    for (const [key, value] of Object.entries(known)) await storage.put(key, value);
    await storage.setAlarm(Date.now());
  },
  next: () => storage.getAlarm(),
});

export class TicketObject extends Ticket {
  async ringNow() {
    const place = { workspace: 'default', helpdesk: 'chatwoot', ticketId: '1207' };
    await alarmOf(this.ctx).ring({ place });
    return true;
  }

  nextAlarm() {
    return alarmOf(this.ctx).next();
  }
}

export class DeskObject extends Desk {
  async ringNow() {
    await alarmOf(this.ctx).ring({ workspace: 'default' });
    return true;
  }

  nextAlarm() {
    return alarmOf(this.ctx).next();
  }
}

/** `POST /TICKETS` and `/DESKS` ring, `GET` tells. */
export default {
  fetch: async (request, env) => {
    const object = env[new URL(request.url).pathname.slice(1)].getByName('one');
    return Response.json(request.method === 'POST' ? await object.ringNow() : await object.nextAlarm());
  },
  queue: () => {},
};
