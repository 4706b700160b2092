import type { HelpdeskTool } from '../../helpdesk-tool.ts';
import { CHATWOOT } from '../../signatures/signature-schemes.ts';
import { verifierFor } from '../../signatures/verify-delivery.ts';
import { headerId } from '../read-payload.ts';
import { chatwootDesk } from './desk.ts';
import { readChatwootDelivery } from './read-delivery.ts';

/** Chatwoot 4.11.2 and later, whose webhooks are signed. */
export const chatwoot: HelpdeskTool = {
  id: 'chatwoot',
  name: 'Chatwoot',
  verify: verifierFor(CHATWOOT),
  read: readChatwootDelivery,
  deliveryIdOf: (delivery) => headerId(delivery, 'x-chatwoot-delivery'),
  desk: chatwootDesk,
};
