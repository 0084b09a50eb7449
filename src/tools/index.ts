export type { ToolTransport } from './endpoint.ts';
export {
  type McpServerContext,
  type McpServerObject,
  type McpServerOptions,
  mcpServer,
} from './mcp-server.ts';
export type { StandardIssue, StandardResult, StandardSchema, ToolSchema } from './schema.ts';
export {
  type Tool,
  type ToolAnnotations,
  type ToolContent,
  type ToolContext,
  ToolError,
  type ToolInput,
  type ToolOutput,
  type ToolProgress,
  type ToolResult,
} from './tool.ts';
export { type ToolServer, type ToolServerOptions, toolServer } from './tool-server.ts';
