export * from '@modelcontextprotocol/server';
export * from '@modelcontextprotocol/server/stdio';
