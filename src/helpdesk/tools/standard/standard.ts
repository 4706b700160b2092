import type { HelpdeskTool } from '../../helpdesk-tool.ts';
import { STANDARD_WEBHOOKS, STANDARD_WEBHOOKS_PUBLIC_KEY } from '../../signatures/signature-schemes.ts';
import { verifierFor } from '../../signatures/verify-delivery.ts';
import { headerId } from '../read-payload.ts';
import { standardDesk } from './desk.ts';
import { readStandardDelivery } from './read-delivery.ts';

/** Any other helpdesk, by Standard Webhooks both ways. */
export const standard: HelpdeskTool = {
  id: 'standard',
  name: 'Standard Webhooks',
  verify: verifierFor(STANDARD_WEBHOOKS, STANDARD_WEBHOOKS_PUBLIC_KEY),
  read: readStandardDelivery,
  deliveryIdOf: (delivery) => headerId(delivery, 'webhook-id'),
  desk: standardDesk,
};
