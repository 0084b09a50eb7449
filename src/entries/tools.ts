/**
 * Functions of the editor as tools of the agent, and MCP servers of the editor's own program.
 *
 * Level: preview.
 *
 * @packageDocumentation
 */

export { type McpServerOptions, mcpServer } from '../tools/mcp-server.ts';
export type { ToolSchema } from '../tools/schema.ts';
export { type Tool, type ToolContext, ToolError, type ToolResult } from '../tools/tool.ts';
export { type ToolServer, type ToolServerOptions, toolServer } from '../tools/tool-server.ts';
