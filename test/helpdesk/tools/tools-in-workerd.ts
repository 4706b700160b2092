import type { HelpdeskConnection, HelpdeskId, SignatureScheme } from '../../../src/helpdesk/helpdesk-tool.ts';
import * as schemes from '../../../src/helpdesk/signature-schemes.ts';
import { helpdeskTools } from '../../../src/helpdesk/tools/helpdesk-tools.ts';
import { parseJson } from '../../../src/helpdesk/tools/payload.ts';
import { noteOf } from '../note-of.ts';
import { verifyDelivery } from '../verify-delivery.ts';

/** A vector on its way into workerd. */
export interface SentVector {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: number[];
  /** By name, of `signature-schemes.ts`. */
  schemes: string[];
  secret: string;
  now: number;
}

/** A ticket that a client writes a note into. */
export interface SentTicket {
  id: HelpdeskId;
  connection: HelpdeskConnection;
  ticketId: string;
}

const verify = ({ schemes: names, secret, now, body, headers, ...rest }: SentVector): Promise<boolean> => {
  const byName: Record<string, SignatureScheme> = schemes;
  const delivery = { ...rest, headers: new Headers(headers), body: new Uint8Array(body) };
  return verifyDelivery(
    delivery,
    names.flatMap((name) => byName[name] ?? []),
    { secrets: [secret], now },
  );
};

const writeNote = async ({ id, connection, ticketId }: SentTicket) => {
  const client = helpdeskTools[id].client(connection, { fetch, now: Date.now });
  const signal = AbortSignal.timeout(10_000);
  const before = await client.readTicket(ticketId, { signal });
  const written = await client.writeNote(ticketId, noteOf(), { signal });
  const found = await client.findNote(ticketId, noteOf().marker, { signal });
  return { texts: before.messages.map(({ text }) => text), written, found };
};

export default {
  fetch: async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname === '/verify')
      return Response.json(await Promise.all(((await request.json()) as SentVector[]).map(verify)));
    if (pathname === '/note') return Response.json(await writeNote((await request.json()) as SentTicket));
    return Response.json(parseJson(new Uint8Array(await request.arrayBuffer())));
  },
};
