import type { Delivery, HelpdeskTool } from '../../helpdesk-tool.ts';
import { HELP_SCOUT } from '../../signatures/signature-schemes.ts';
import { verifierFor } from '../../signatures/verify-delivery.ts';
import { accessTokens } from './access-tokens.ts';
import { helpScoutDesk } from './desk.ts';
import { readHelpScoutDelivery } from './read-delivery.ts';

const newestMessageOf = (delivery: Delivery): string | undefined => {
  try {
    const [event] = readHelpScoutDelivery(delivery);
    return event?.kind === 'message' && typeof event.message === 'object'
      ? `${event.ticketId}:${event.message.id}`
      : undefined;
  } catch {
    return undefined;
  }
};

/** Help Scout's conversations. Nothing in a delivery names it: its newest message tells two apart. */
export const helpScout: HelpdeskTool = {
  id: 'help-scout',
  name: 'Help Scout',
  verify: verifierFor(HELP_SCOUT),
  read: readHelpScoutDelivery,
  deliveryIdOf: newestMessageOf,
  desk: helpScoutDesk(accessTokens()),
};
