export type { ToolTransport } from '../tools/endpoint.ts';
export type * from '../tools/mcp-server.ts';
export { mcpServer } from '../tools/mcp-server.ts';
export type { StandardIssue, StandardResult, StandardSchema, ToolSchema } from '../tools/schema.ts';
export type * from '../tools/tool.ts';
export { ToolError } from '../tools/tool.ts';
export { type ToolServer, type ToolServerOptions, toolServer } from '../tools/tool-server.ts';
