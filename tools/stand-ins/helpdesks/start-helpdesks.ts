import type { Fault, Faults, FaultTarget } from '../server/faults.ts';
import { type LocalReply, startLocalServer } from '../server/local-server.ts';
import type { RecordedRequest } from '../server/request-log.ts';
import { chatwoot } from './chatwoot/chatwoot.ts';
import { controlRoutes } from './control-routes.ts';
import { LOCAL_DESK_IDS, type LocalDesk, type LocalDeskId } from './desk/local-desk.ts';
import { DeskRefusal, type StandIn } from './desk/stand-in.ts';
import { helpScout } from './help-scout/help-scout.ts';
import { intercom } from './intercom/intercom.ts';
import { type OpenDesk, openDesk } from './open-desk.ts';
import { zammad } from './zammad/zammad.ts';
import { zendesk } from './zendesk/zendesk.ts';

export interface HelpdesksOptions {
  /** Any free one when absent. */
  port?: number | undefined;
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined;
  /** Added to every id of a ticket or message, so that another run does not meet those that a product remembers; 0 when absent. */
  idOffset?: number | undefined;
  /** With it another process may write tickets: see `controlRoutes`. */
  controlToken?: string | undefined;
  /** Asked for every request: see `randomFaults`. */
  faults?: ((request: FaultTarget) => Fault | undefined) | undefined;
}

/** Stand-ins of the helpdesk tools, on one server of this machine, each below a path of its own. */
export interface LocalHelpdesks {
  /** `http://127.0.0.1:<port>`. */
  url: string;
  desks: Readonly<Record<LocalDeskId, LocalDesk>>;
  /** Paths begin with the tool: `faults.next(1, { kind: 'reset', executed: true }, '/chatwoot')`. */
  faults: Faults;
  /** What has arrived, oldest first, within bounds. */
  requests: readonly RecordedRequest[];
  forgetRequests(): void;
  /** Does at once what faults with `executedAfterMs` have left for later. */
  finishLate(): Promise<void>;
  stop(): Promise<void>;
}

const STAND_INS: Readonly<Record<LocalDeskId, StandIn>> = {
  chatwoot,
  zendesk,
  intercom,
  zammad,
  'help-scout': helpScout,
};

/** Starts all of them over the loopback interface, with tickets and articles in memory. */
export async function startHelpdesks({
  port,
  now = Date.now,
  idOffset = 0,
  controlToken,
  faults,
}: HelpdesksOptions = {}): Promise<LocalHelpdesks> {
  const base = { url: '' };
  const opened = LOCAL_DESK_IDS.map((id): [LocalDeskId, OpenDesk] => [
    id,
    openDesk(STAND_INS[id], { now, idOffset, apiUrl: () => `${base.url}/${id}` }),
  ]);
  const byId = new Map<string, OpenDesk>(opened);
  const deskOf = ({ path }: RecordedRequest) => byId.get(path.split('/', 2)[1] ?? '');

  const control =
    controlToken === undefined
      ? undefined
      : controlRoutes((id) => byId.get(id)?.desk, controlToken);
  const handle = (request: RecordedRequest): LocalReply => {
    if (control && request.path.startsWith('/control/')) return control(request);
    const open = deskOf(request);
    if (open === undefined) return { status: 404, body: { error: 'Not found' } };
    try {
      return open.handle({ ...request, path: `/${request.path.split('/').slice(2).join('/')}` });
    } catch (error) {
      if (error instanceof DeskRefusal) return error.reply;
      throw error;
    }
  };
  const server = await startLocalServer({
    port,
    handle,
    refusal: (status, message, request) =>
      (request && deskOf(request)?.refusal(status, message)) ?? { error: message ?? 'It failed' },
    refusalHeaders: (status, request) => deskOf(request)?.refusalHeaders(status) ?? {},
  });
  base.url = server.url;
  if (faults) server.faults.sometimes(faults);
  return {
    url: server.url,
    // There is one for each of the ids.
    desks: Object.fromEntries(opened.map(([id, { desk }]) => [id, desk])) as Record<
      LocalDeskId,
      LocalDesk
    >,
    faults: server.faults,
    requests: server.requests,
    forgetRequests: server.forgetRequests,
    finishLate: server.finishLate,
    stop: server.stop,
  };
}
