import type { HelpdeskTool } from '../../helpdesk-tool.ts';
import { STATIC_TOKEN } from '../../signatures/signature-schemes.ts';
import { verifierFor } from '../../signatures/verify-delivery.ts';
import { freshdeskDesk } from './desk.ts';
import { readFreshdeskDelivery } from './read-delivery.ts';

/** Freshdesk: a rule calls us with a token of ours, and nothing is signed or numbered. */
export const freshdesk: HelpdeskTool = {
  id: 'freshdesk',
  name: 'Freshdesk',
  verify: verifierFor(STATIC_TOKEN),
  read: readFreshdeskDelivery,
  deliveryIdOf: () => undefined,
  desk: freshdeskDesk,
};
