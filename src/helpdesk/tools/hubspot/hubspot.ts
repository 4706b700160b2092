import type { HelpdeskTool } from '../../helpdesk-tool.ts';
import { HUBSPOT_V3 } from '../../signatures/signature-schemes.ts';
import { verifierFor } from '../../signatures/verify-delivery.ts';
import { payloadId } from '../read-payload.ts';
import { hubspotDesk } from './desk.ts';
import { DeliveryKey, readHubspotDelivery } from './read-delivery.ts';

/** HubSpot's conversations. What is signed holds the address that it called: a proxy must not rewrite it. */
export const hubspot: HelpdeskTool = {
  id: 'hubspot',
  name: 'HubSpot',
  verify: verifierFor(HUBSPOT_V3),
  read: readHubspotDelivery,
  deliveryIdOf: (delivery) => payloadId(delivery, DeliveryKey),
  desk: hubspotDesk,
};
