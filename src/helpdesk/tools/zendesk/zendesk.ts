import * as z from 'zod';
import type { HelpdeskTool } from '../../helpdesk-tool.ts';
import { ZENDESK } from '../../signatures/signature-schemes.ts';
import { verifierFor } from '../../signatures/verify-delivery.ts';
import { headerId, payloadId } from '../read-payload.ts';
import { optionalId } from '../reading.ts';
import { zendeskDesk } from './desk.ts';
import { readZendeskDelivery } from './read-delivery.ts';

/** The id of an event is signed; that of a trigger's call stands in a header alone, which is not. */
const EventId = z.object({ id: optionalId }).transform(({ id }) => id);

/** Zendesk Support: tickets by events or triggers, and the articles of its Help Center. */
export const zendesk: HelpdeskTool = {
  id: 'zendesk',
  name: 'Zendesk',
  verify: verifierFor(ZENDESK),
  read: readZendeskDelivery,
  deliveryIdOf: (delivery) => payloadId(delivery, EventId) ?? headerId(delivery, 'x-zendesk-webhook-invocation-id'),
  desk: zendeskDesk,
};
