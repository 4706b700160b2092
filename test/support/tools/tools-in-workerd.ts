import { parseJson } from '../../../src/platform/http/read-fields.ts';
import { type SchemeName, schemesNamed, verifyDelivery } from './verify-delivery.ts';

/** A vector on its way into workerd. */
export interface SentVector {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: number[];
  schemes: SchemeName[];
  secret: string;
  now: number;
}

const verify = ({
  schemes: names,
  secret,
  now,
  body,
  headers,
  ...rest
}: SentVector): Promise<boolean> => {
  const delivery = { ...rest, headers: new Headers(headers), body: new Uint8Array(body) };
  return verifyDelivery(delivery, schemesNamed(names), { secrets: [secret], now });
};

export default {
  fetch: async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname === '/parse')
      return Response.json(parseJson(new Uint8Array(await request.arrayBuffer())));
    return Response.json(await Promise.all(((await request.json()) as SentVector[]).map(verify)));
  },
};
