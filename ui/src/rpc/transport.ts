// What carries JSON-RPC text to the core and back. Two real ones exist (Tauri, WebSocket) and one for tests.

/** Whether the core can be reached. */
export type Link = 'connecting' | 'open' | 'lost';

/** What a transport tells its client. */
export interface Listener {
  /** A response or a notification, as JSON text. */
  message(text: string): void;
  /** The connection came or went. */
  link(link: Link): void;
}

/** Carries requests. Nothing is kept for later: `send` rejects where there is no connection. */
export interface Transport {
  start(listener: Listener): void;
  send(text: string): Promise<void>;
}
