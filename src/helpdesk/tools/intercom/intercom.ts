import * as z from 'zod';
import type { HelpdeskTool } from '../../helpdesk-tool.ts';
import { HUB_SIGNATURE } from '../../signatures/signature-schemes.ts';
import { verifierFor } from '../../signatures/verify-delivery.ts';
import { payloadId } from '../read-payload.ts';
import { optionalId } from '../reading.ts';
import { intercomDesk } from './desk.ts';
import { readIntercomDelivery } from './read-delivery.ts';

const NotificationId = z.object({ id: optionalId }).transform(({ id }) => id);

/** Intercom's conversations. Its secret is the app's client secret. */
export const intercom: HelpdeskTool = {
  id: 'intercom',
  name: 'Intercom',
  verify: verifierFor(HUB_SIGNATURE),
  read: readIntercomDelivery,
  deliveryIdOf: (delivery) => payloadId(delivery, NotificationId),
  desk: intercomDesk,
};
