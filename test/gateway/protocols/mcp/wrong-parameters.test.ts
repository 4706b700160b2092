import { expect, it } from 'vitest';
import type { McpCaller } from '../../../../src/contract/wire/mcp.ts';
import { type Routes, routesOf } from '../../../../src/gateway/protocols/gateway-routes.ts';
import { serveMcp } from '../../../../src/gateway/protocols/mcp/serve.ts';
import { createServer } from '../../../../src/gateway/protocols/mcp/server.ts';

const caller: McpCaller = { workspace: 'default', capabilities: ['kb:read'] };
const isNotAsked = () => Promise.reject(new Error('is not asked'));
const routes: Routes = routesOf(
  { route: isNotAsked, ask: isNotAsked, stop: async () => {} },
  caller,
);

const call = async (method: string, params: unknown, accept: string) => {
  const body = { jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) };
  const headers = {
    accept,
    'content-type': 'application/json',
    'mcp-protocol-version': '2025-11-25',
  };
  const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers });
  const response = await serveMcp(
    request,
    (exchange) => createServer(caller, { routes, ...exchange }),
    body,
  );
  const [written = ''] = /\{.*\}/.exec(await response.text()) ?? [];
  return JSON.parse(written) as { error?: { code: number; message: string } };
};

it.each([
  ['initialize', undefined, 'params: is missing'],
  [
    'initialize',
    {},
    'params.protocolVersion: is missing; params.capabilities: is missing; params.clientInfo: is missing',
  ],
  [
    'initialize',
    { protocolVersion: 7, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    'protocolVersion: ',
  ],
  ['tools/call', undefined, 'params: is missing'],
  ['tools/call', {}, 'params.name: is missing'],
  ['tools/call', { name: 'ask', arguments: 'x' }, 'params.arguments: '],
  ['tools/list', { cursor: 7 }, 'params.cursor: '],
  ['resources/list', { cursor: [] }, 'params.cursor: '],
  ['resources/templates/list', { cursor: {} }, 'params.cursor: '],
  ['resources/read', {}, 'params.uri: is missing'],
  ['resources/read', { uri: 5 }, 'params.uri: '],
  ['prompts/list', { cursor: 7 }, 'params.cursor: '],
  ['prompts/get', {}, 'params.name: is missing'],
  [
    'prompts/get',
    { name: 'answer-with-sources', arguments: { question: 7 } },
    'params.arguments.question: ',
  ],
])('%s with %j says what is wrong, and is no fault', async (method, params, message) => {
  for (const accept of ['application/json', 'application/json, text/event-stream']) {
    const { error } = await call(method, params, accept);
    expect(error).toEqual({
      code: -32_602,
      message: expect.stringMatching(/^Cannot read the request: [^[{]*$/),
    });
    expect(error?.message).toContain(message);
  }
});
