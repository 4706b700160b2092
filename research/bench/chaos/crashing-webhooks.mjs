// No TypeScript: what it extends has types of the runtime, which nothing else in this folder may see.

import webhooks from '../../../functions/webhooks/index.ts';
import { TicketObject as Reliable } from '../../../src/support/tickets/durable-objects.ts';

// biome-ignore lint/performance/noBarrelFile: the runtime looks for the classes of Durable Objects here
export { DeskObject } from '../../../src/support/tickets/durable-objects.ts';

/** Outlives an object that is reset, as it is the isolate's. */
const crashed = new Set();

/**
 * Ends without a warning when a step is on record, in the middle of its work. Variable CRASHES says when: `every-step`, each object
 * once at each step; a share such as `0.05`, at so many of all steps, by chance.
 */
export class TicketObject extends Reliable {
  onStep(step) {
    const { CRASHES = '0' } = this.env;
    const place = `${this.ctx.id} ${step}`;
    const isTime = CRASHES === 'every-step' ? !crashed.has(place) : Math.random() < Number(CRASHES);
    if (!isTime) return;
    crashed.add(place);
    console.log(JSON.stringify({ event: 'crash', step }));
    this.ctx.abort(`crash at: ${step}`);
  }
}

export default webhooks;
