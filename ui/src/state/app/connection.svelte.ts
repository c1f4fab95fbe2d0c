// The JSON-RPC client of the page, and whether the core can be reached.
import { changeTexts } from '../../lib/texts/change';
import { Client } from '../../rpc/client';
import type { Link, Transport } from '../../rpc/transport';

class Connection {
  link = $state<Link>('connecting');
  /** The number of reconnections. Stores with stale data can load it again when this changes. */
  returns = $state(0);
  #client: Client | undefined;

  start(transport: Transport): void {
    let lost = false;
    this.#client = new Client(transport, (link) => {
      if (link === 'lost') lost = true;
      if (link === 'open' && lost) this.returns += 1;
      this.link = link;
    });
  }

  get client(): Client {
    if (!this.#client) throw new Error(changeTexts.message.noConnection);
    return this.#client;
  }
}

export const connection = new Connection();
