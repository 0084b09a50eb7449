import type { SecureClientSessionOptions } from 'node:http2';

export function http2Fetch(origin: string, tls?: SecureClientSessionOptions): typeof fetch;
