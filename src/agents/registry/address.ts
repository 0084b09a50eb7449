import { isLoopback } from '../../core/transport/remote-options.ts';

/**
 * The address of the published ACP registry, for {@link registry}.
 *
 * @see https://github.com/agentclientprotocol/registry#usage
 */
export const publishedRegistryUrl = 'https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json';

/**
 * Whether the address protects the answer from changes on its way: https does, and so does http on this machine.
 *
 * @see https://w3c.github.io/webappsec-secure-contexts/#is-origin-trustworthy
 */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** The address without its query, which can contain a token. */
export function shownAddress({ origin, pathname }: URL): string {
  return origin + pathname;
}

/** The text as an address, or `undefined` if it is not one. */
export function parsedAddress(text: string): URL | undefined {
  // Node 20 has no URL.parse.
  return URL.canParse(text) ? new URL(text) : undefined;
}
