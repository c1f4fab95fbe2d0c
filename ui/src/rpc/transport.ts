// The interface of transports, which carry JSON-RPC text to the core and back. There are two for production (Tauri, WebSocket) and one
// for tests.

/**
 * The state of the connection to the core. After a loss, the transport reconnects by itself: `unreachable` means that the core does not
 * answer, `refused` that it no longer knows this page.
 */
export type Link = 'connecting' | 'open' | 'lost' | 'unreachable' | 'refused';

/** The receiver of a transport's messages. */
export interface Listener {
  /** A response or a notification, as JSON text. */
  message(text: string): void;
  /** Called when the state of the connection changes. */
  link(link: Link): void;
}

/** Sends requests. `send` rejects where there is no connection; it does not queue. */
export interface Transport {
  start(listener: Listener): void;
  send(text: string): Promise<void>;
}
