import { expect } from 'vitest';
import { KnowledgeRetrieval } from '../../src/contract/wire/knowledge.ts';
import {
  type SupportRequest,
  SupportResponse,
  SupportResponseV1,
} from '../../src/contract/wire/support-response.ts';
import type { Product } from '../../tools/run/product.ts';
import { send } from './product-for-test.ts';

/** A request with a product and attachments (docs/contract.md#knowledge-retrieval). */
export const TICKET: SupportRequest = {
  message: 'My Apollo shows 0 H/s for 3 days. Already tried restarting.',
  customer_name: 'Dana Whitfield',
  metadata: { product: 'Apollo II', attachments: ['debug.log'] },
};

/** Every reply is valid for v1.1 and for clients of v1.0. */
export async function analyze(
  product: Product,
  request: SupportRequest,
  key = product.key,
): Promise<SupportResponse> {
  const response = await send(product, 'POST /v1/support/analyze', request, key);
  const json: unknown = await response.json();
  expect(response.status, JSON.stringify(json)).toBe(200);
  expect(SupportResponseV1.safeParse(json).error).toBeUndefined();
  const reply = SupportResponse.parse(json);
  expect(KnowledgeRetrieval.safeParse(reply.knowledge_retrieval).error).toBeUndefined();
  return reply;
}

export function urlsOf({ knowledge_retrieval: { sources_consulted } }: SupportResponse) {
  return sources_consulted.map(({ url }) => url);
}

/** Every reply is a valid block, whatever the request. */
export async function retrieve(
  product: Product,
  request: unknown,
  key = product.key,
): Promise<KnowledgeRetrieval> {
  const response = await send(product, 'POST /v1/knowledge/retrieve', request, key);
  expect(response.status).toBe(200);
  return KnowledgeRetrieval.parse(await response.json());
}
