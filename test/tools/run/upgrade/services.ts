import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startOpenAIServer } from '../../../../tools/stand-ins/openai/openai-server.ts';

const SECRET = Buffer.from('a secret of the helpdesk that is long enough').toString('base64');

/**
 * Services with which a product uses every store: an embedding model, and a helpdesk that accepts notes by Standard Webhooks.
 * The helpdesk refuses notes of the ticket `dead`, and is down for the ticket `open` until `recover()`.
 */
export async function startServices() {
  const openai = await startOpenAIServer();
  const notes: { ticket: string; marker: string }[] = [];
  let isDown = true;
  const helpdesk = createServer((request, response) => {
    let body = '';
    request.on('data', (bytes) => (body += bytes));
    request.on('end', () => {
      const { data } = JSON.parse(body) as { data: { ticket_id: string; marker: string } };
      const status =
        data.ticket_id === 'dead' ? 401 : data.ticket_id === 'open' && isDown ? 503 : 200;
      if (status === 200) notes.push({ ticket: data.ticket_id, marker: data.marker });
      response.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((resolve) => void helpdesk.listen(0, '127.0.0.1', resolve));
  const { port } = helpdesk.address() as AddressInfo; // of a server that listens on a port
  const connection = { apiUrl: `http://127.0.0.1:${port}/`, secrets: ['OWN_DESK_SECRET'] };
  return {
    env: {
      OPENAI_BASE_URL: openai.url,
      OPENAI_API_KEY: openai.apiKey,
      CHAT_MODEL: 'none',
      EMBEDDING_DIMENSIONS: '32',
      HELPDESKS: JSON.stringify({ default: { standard: connection } }),
      OWN_DESK_SECRET: `whsec_${SECRET}`,
    },
    notes,
    recover: () => {
      isDown = false;
    },
    /** Delivers a customer's message as a new ticket. */
    deliver: async (url: string, ticket: { id: string; subject: string; text: string }) => {
      const created_at = new Date().toISOString();
      const body = JSON.stringify({
        type: 'ticket.created',
        timestamp: created_at,
        data: { ...ticket, author: { type: 'customer', id: 'c-1', name: 'Ada' }, created_at },
      });
      const timestamp = String(Math.floor(Date.now() / 1000));
      const id = `msg_${ticket.id}`;
      const signature = createHmac('sha256', Buffer.from(SECRET, 'base64')).update(
        `${id}.${timestamp}.${body}`,
      );
      const response = await fetch(new URL('/webhooks/standard', url), {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${signature.digest('base64')}`,
        },
      });
      if (!response.ok)
        throw new Error(`the delivery was refused: ${response.status}, ${await response.text()}`);
    },
    stop: async () => {
      await openai.stop();
      helpdesk.closeAllConnections();
      await new Promise((resolve) => helpdesk.close(resolve));
    },
  };
}
