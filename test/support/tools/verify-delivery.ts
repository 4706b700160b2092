import type { Delivery, SignatureScheme } from '../../../src/support/tools/helpdesk-tool.ts';
import * as schemes from '../../../src/support/tools/signature-schemes.ts';
import { startVerification } from '../../../src/support/tools/signatures.ts';

type Rest =
  Parameters<typeof startVerification> extends [unknown, ...infer Others] ? Others : never;

/** Verifies a delivery whose body arrives in two pieces. */
export async function verifyDelivery({ body, ...head }: Delivery, ...rest: Rest): Promise<boolean> {
  const verification = startVerification(head, ...rest);
  const half = body.length >> 1;
  for (const piece of [body.slice(0, half), body.slice(half)]) verification.add(piece);
  return verification.isVerified(body);
}

export type SchemeName = keyof typeof schemes;
const BY_NAME: Record<SchemeName, SignatureScheme> = { ...schemes };

export function schemesNamed(names: readonly SchemeName[]): SignatureScheme[] {
  return names.map((name) => BY_NAME[name]);
}
