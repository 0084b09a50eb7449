import type { WebSocketConstructor } from '../remote-options.ts';

/**
 * The WebSocket of the package `ws`, if it is installed. This file is a module of its own in `dist`, which package.json
 * leaves out of pages: a bundler refuses an import of a package that is not installed.
 */
export async function installedWebSocket(): Promise<WebSocketConstructor | undefined> {
  try {
    const { WebSocket } = await import('ws');
    // Its sockets have what the transport uses.
    return WebSocket as unknown as WebSocketConstructor;
  } catch {
    return undefined;
  }
}
