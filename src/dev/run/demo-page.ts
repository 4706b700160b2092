import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SAMPLE_PAGE } from '../sample/files.ts';
import type { Product } from './product.ts';

/** A web page of another origin that has the answer box. */
export interface DemoPage {
  url: string;
  close(): Promise<void>;
}

/** Serves the sample's page with the answer box of this product, under a publishable key for its origin alone. */
export const serveDemoPage = async (product: Pick<Product, 'url' | 'publish'>): Promise<DemoPage> => {
  let page = '';
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has an address with a port
  const url = `http://127.0.0.1:${port}`;
  const key = await product.publish([url]);
  page = readFileSync(SAMPLE_PAGE, 'utf8').replaceAll('{{gateway}}', product.url.origin).replaceAll('{{key}}', key);
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, close };
};
