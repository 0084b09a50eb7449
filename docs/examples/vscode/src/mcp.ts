// biome-ignore-all lint/performance/noReExportAll: the packages as they are, in a file of their own
export * from '@modelcontextprotocol/server';
export * from '@modelcontextprotocol/server/stdio';
