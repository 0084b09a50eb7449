import type { DiagnosticListener } from '../../base/diagnostic.ts';
import type { JsonObject } from '../../base/json.ts';
import type { McpMessage, McpMessageAnswer, McpServerConfig } from '../../model/mcp-server.ts';
import type { ToolCallProgress } from '../../model/tool-call.ts';
import type { Feature, FeatureReading } from '../../protocol/feature.ts';
import type { AgentRequest } from '../../rpc/agent-requests.ts';
import type { TrafficRecord } from '../../trace/traffic.ts';
import type { Session } from './session.ts';

/**
 * Begins to serve one session in one process of the agent. A provided server has it under the key `provideMcpServer`.
 */
export type ProvideMcpServer = (host: McpServerHost) => Promise<ServedMcpServer>;

/** What a provided server uses of the connection while it serves a session. */
export interface McpServerHost {
  /** What the agent advertised. */
  explain(feature: Feature): FeatureReading;
  readonly report: DiagnosticListener;
  /** Resolves when the agent has opened the session. Rejects if it did not. */
  readonly session: Promise<Session>;
  /** The tool call of the transcript that a call belongs to, if the agent names it in the `_meta` of the call. */
  toolCallIdOf(meta: JsonObject | undefined): string | undefined;
  /** The agent calls a tool, for this tool call if it is known. */
  called(toolCallId: string | undefined): void;
  /** Shows in a tool call of the transcript how far it is; `null`: its call has ended. */
  showProgress(toolCallId: string, progress: ToolCallProgress | null): void;
  /** Sends a message of the server to the agent, over the connection. */
  notify(message: McpMessage): Promise<void>;
  /** Records what passes beside the connection. */
  readonly record: (dir: TrafficRecord['dir'], note: object) => void;
}

/** A provided server that serves one session in one process of the agent. */
export interface ServedMcpServer {
  /** How the agent reaches the server. The agent gets it in the call that opens the session. */
  readonly description: McpServerConfig;
  /** Serves a message that the agent sent over the connection. Absent where the agent uses another way. */
  readonly serve?: (message: McpMessage, request: AgentRequest) => Promise<McpMessageAnswer>;
  /** Ends the calls under way, because the user cancelled the turn. */
  cancel(): void;
  /** Ends the calls under way, because the user closes the session or the connection. */
  interrupt(): void;
  /** Ends the calls under way and everything that listens. Never rejects. */
  release(): Promise<void>;
}
