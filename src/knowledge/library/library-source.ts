import type { HostKbClient } from './host-kb-client.ts';

/** The host knowledge base of a workspace. */
export interface LibrarySource {
  /** Its address: when it changes, the next sync lists everything. */
  url: string;
  client: HostKbClient;
}
