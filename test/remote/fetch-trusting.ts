import { Agent, fetch as undiciFetch } from 'undici';
import { onTestFinished } from 'vitest';

/** Functions that send requests with each version of HTTP, and trust a certificate. The end of the test closes them. */
export function fetchTrusting(ca: string): { readonly http1: typeof fetch; readonly http2: typeof fetch } {
  const make = (allowH2: boolean): typeof fetch => {
    const dispatcher = new Agent({ allowH2, connect: { ca } });
    onTestFinished(() => dispatcher.destroy());
    // The platform's types and those of the package differ in details that no transport uses.
    const send = undiciFetch as unknown as (input: unknown, init: object) => Promise<Response>;
    return (input, init) => send(input, { ...init, dispatcher });
  };
  return { http1: make(false), http2: make(true) };
}
