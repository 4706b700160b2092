import * as z from 'zod';
import type { HelpdeskTool } from '../../helpdesk-tool.ts';
import { STATIC_TOKEN } from '../../signatures/signature-schemes.ts';
import { verifierFor } from '../../signatures/verify-delivery.ts';
import { payloadId } from '../read-payload.ts';
import { optionalId } from '../reading.ts';
import { gorgiasDesk } from './desk.ts';
import { readGorgiasDelivery } from './read-delivery.ts';

const MessageId = z.object({ message: z.object({ id: optionalId }) }).transform(({ message }) => message.id);

/** Gorgias: an integration calls us with a token of ours, and nothing is signed. */
export const gorgias: HelpdeskTool = {
  id: 'gorgias',
  name: 'Gorgias',
  verify: verifierFor(STATIC_TOKEN),
  read: readGorgiasDelivery,
  deliveryIdOf: (delivery) => payloadId(delivery, MessageId),
  desk: gorgiasDesk,
};
