import type { HelpdeskTool } from '../../helpdesk-tool.ts';
import { HUB_SIGNATURE } from '../../signatures/signature-schemes.ts';
import { verifierFor } from '../../signatures/verify-delivery.ts';
import { headerId } from '../read-payload.ts';
import { zammadDesk } from './desk.ts';
import { readZammadDelivery } from './read-delivery.ts';

/** Zammad: its trigger calls us for new articles. */
export const zammad: HelpdeskTool = {
  id: 'zammad',
  name: 'Zammad',
  verify: verifierFor(HUB_SIGNATURE),
  read: readZammadDelivery,
  deliveryIdOf: (delivery) => headerId(delivery, 'x-zammad-delivery'),
  desk: zammadDesk,
};
