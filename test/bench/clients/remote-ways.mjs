import { WebSocket } from 'ws';
import { http2Fetch } from '../../support/http2-fetch.mjs';

/** Sends requests with HTTP/1.1 by the platform's `fetch`, or all over one HTTP/2 connection that trusts a certificate. */
export function fetchOver({ way, url, ca }) {
  return way === 'http1' ? fetch : http2Fetch(new URL(url).origin, { ca });
}

/** A WebSocket that trusts a certificate. */
export function socketTrusting(ca) {
  return class extends WebSocket {
    constructor(url, protocols, options) {
      super(url, protocols, { ...options, ca });
    }
  };
}

/** The URL of a WebSocket for that of HTTP. */
export const webSocketUrl = (url) => url.replace(/^http/, 'ws');
