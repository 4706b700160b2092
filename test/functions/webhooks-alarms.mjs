// No TypeScript: its base class has types of the runtime, which are not visible in this folder.
import {
  DeskObject as Desk,
  TicketObject as Ticket,
} from '../../src/support/tickets/durable-objects.ts';

/** Triggers the alarm of an object, and reads the time of the next one. */
const alarmOf = ({ storage }) => ({
  ring: async (known) => {
    for (const [key, value] of Object.entries(known)) await storage.put(key, value);
    await storage.setAlarm(Date.now());
  },
  next: () => storage.getAlarm(),
});

export class TicketObject extends Ticket {
  static callable = [...Ticket.callable, 'ringNow', 'nextAlarm'];

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
  static callable = [...Desk.callable, 'ringNow', 'nextAlarm'];

  async ringNow() {
    await alarmOf(this.ctx).ring({ workspace: 'default' });
    return true;
  }

  nextAlarm() {
    return alarmOf(this.ctx).next();
  }
}

/** `POST /TICKETS` and `/DESKS` trigger the alarm, `GET` returns its next time. */
export default {
  fetch: async (request, env) => {
    const object = env[new URL(request.url).pathname.slice(1)].getByName('one');
    return Response.json(
      request.method === 'POST' ? await object.ringNow() : await object.nextAlarm(),
    );
  },
};
