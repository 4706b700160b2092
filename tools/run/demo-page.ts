import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Product } from './product.ts';

const PAGE = new URL('./demo-page.html', import.meta.url);

const QUESTIONS = {
  sample:
    'Try “How do I reset the dashboard password?”, “Do I lose the warranty if I open the case?”, or something that no article knows.',
  own: 'Ask something that your articles answer, and something that no article knows.',
};

/** A web page of another origin that has the answer box. */
export interface DemoPage {
  url: string;
  close(): Promise<void>;
}

/** Serves a page with the answer box of this product, under a publishable key for its origin alone. */
export async function serveDemoPage(
  product: Pick<Product, 'url' | 'publish'>,
  knowledge: keyof typeof QUESTIONS = 'sample',
): Promise<DemoPage> {
  let page = '';
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has an address with a port
  const url = `http://127.0.0.1:${port}`;
  const key = await product.publish([url]);
  page = readFileSync(PAGE, 'utf8')
    .replaceAll('{{gateway}}', product.url.origin)
    .replaceAll('{{key}}', key)
    .replaceAll('{{questions}}', QUESTIONS[knowledge]);
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, close };
}
