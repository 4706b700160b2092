import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The page of a helpdesk for agents, of another origin than the panel. */
export interface AgentPage {
  origin: string;
  /** Shows the panel at this address beside a ticket. */
  urlOf(panel: string, ticketId: string): string;
  close(): Promise<void>;
}

/** Sends the messages of Chatwoot and of Zendesk's app framework to the panel, and shows inserted text in `output`. */
export async function serveAgentPage(): Promise<AgentPage> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has an address with a port
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    urlOf: (panel, ticketId) => `${origin}/?${new URLSearchParams({ panel, ticket: ticketId })}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Zendesk shows an app in a narrow bar beside the ticket, Chatwoot in place of the conversation. */
const PAGE = `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><title>Agent</title>
<style>body { margin: 0 } iframe { border: 0; inline-size: min(360px, 100%); block-size: 840px } .wide { inline-size: 100% }</style>
<iframe title="panel"></iframe><output></output>
<script>
const query = new URLSearchParams(location.search);
const frame = document.querySelector('iframe');
const output = document.querySelector('output');
let ticket = query.get('ticket');
const say = (message) => frame.contentWindow.postMessage(JSON.stringify(message), new URL(query.get('panel')).origin);
const tellChatwoot = () => say({ event: 'appContext', data: { conversation: { id: Number(ticket), messages: [] }, contact: {} } });
window.openTicket = (id) => { ticket = id; tellChatwoot(); };
addEventListener('message', ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  if (data === 'chatwoot-dashboard-app:fetch-info') return tellChatwoot();
  const { key, id, request, params } = JSON.parse(data);
  if (key === 'iframe.handshake') say({ key: 'zaf.app.registered', message: { metadata: {}, context: {} } });
  if (request === 'get') say({ id, result: { errors: {}, 'ticket.id': Number(ticket) } });
  if (request !== 'invoke') return;
  const [text] = params['ticket.comment.appendText'];
  output.textContent += text;
  say({ id, result: { errors: {}, 'ticket.comment.appendText': true } });
});
const panel = new URL(query.get('panel'));
frame.classList.toggle('wide', panel.pathname.endsWith('chatwoot'));
if (panel.pathname.endsWith('zendesk')) {
  panel.searchParams.set('origin', location.origin);
  panel.searchParams.set('app_guid', 'guid-1');
}
frame.src = panel.href;
</script></html>`;
