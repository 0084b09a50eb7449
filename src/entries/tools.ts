export type { ToolTransport } from '../tools/endpoint.ts';
export {
  type McpServerContext,
  type McpServerObject,
  type McpServerOptions,
  mcpServer,
} from '../tools/mcp-server.ts';
export type { StandardIssue, StandardResult, StandardSchema, ToolSchema } from '../tools/schema.ts';
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
} from '../tools/tool.ts';
export { type ToolServer, type ToolServerOptions, toolServer } from '../tools/tool-server.ts';
