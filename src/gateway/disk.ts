import type { MiddlewareHandler } from 'hono';
import * as z from 'zod';
import { readAs } from '../contract/core/error-info.ts';
import { parseJson } from '../contract/core/json-object.ts';
import type { Target } from '../platform/context/signed-client.ts';
import { waitAtMost } from '../platform/http/deadline.ts';
import { errorResponse } from './access/gateway-error.ts';
import type { GatewayEnv } from './access/request-log.ts';

/** Whether the disk is full that everything is stored on: known on a machine of one's own, and never so where there is no such disk. */
export type DiskIsFull = () => Promise<boolean>;

/** Asks the local runner, which knows the disk. */
export function diskOf(runner: Target | undefined): DiskIsFull {
  return async () => {
    if (runner === undefined) return false;
    const work = runner
      .fetch(new Request('http://disk/'))
      .then(async (response) => Disk.parse(await response.json()).full);
    return waitAtMost(work, WAIT_MS, false).catch(() => false);
  };
}

const Disk = z.object({ full: z.boolean() });
const WAIT_MS = 500;

/**
 * The runtime hides why a store could not write, and callers would read that something is wrong inside: while the disk is full, such an error says
 * so instead.
 */
export function namesFullDisk(isFull: DiskIsFull): MiddlewareHandler<GatewayEnv> {
  return async (c, next) => {
    await next();
    if (
      !HIDDEN.has(c.res.status) ||
      !(c.res.headers.get('content-type') ?? '').startsWith('application/json')
    )
      return;
    if (!(await isFull())) return;
    const read = readAs(Hidden, parseJson(await c.res.clone().text()));
    if (!read.ok) return;
    const { librarian } = read.value.error;
    const response = errorResponse({
      code: 'SERVICE_UNAVAILABLE',
      librarian,
      recoverable: true,
      message: 'Cannot store or read this: the disk of this machine is full',
      suggestion:
        'Free some space, then send the request again; what was acknowledged before is still there',
    });
    c.res = undefined;
    c.res = response;
  };
}

const HIDDEN: ReadonlySet<number> = new Set([500, 502, 503]);

const Hidden = z.object({
  error: z.object({
    code: z.enum(['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'DATA_SOURCE_ERROR']),
    librarian: z.string().max(200).optional(),
  }),
});
