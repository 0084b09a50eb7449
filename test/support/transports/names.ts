/** The ways from a client to an agent, for tests of what must hold on each of them. */
export const transportNames = ['memory', 'stdio', 'websocket', 'streamable-http'] as const;

export type TransportName = (typeof transportNames)[number];
