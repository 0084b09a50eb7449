import type { Block, CommandRun, Plan, Role, Settings, ToolCall, ToolOutput, Usage } from './history.ts';

/** Something that happens in a session and that the client is told of, in no protocol version. */
export type SessionEvent =
  /** A message as a whole: what was there of it is replaced. */
  | {
      readonly type: 'message';
      readonly role: Role;
      readonly messageId: string;
      readonly content: readonly Block[];
    }
  | {
      readonly type: 'message_chunk';
      readonly role: Role;
      readonly messageId: string;
      readonly block: Block;
    }
  /** A tool call the first time it is spoken of: just begun, or, in a replay, as it ended. */
  | { readonly type: 'tool_call'; readonly call: ToolCall }
  | { readonly type: 'tool_call_started'; readonly toolCallId: string }
  | { readonly type: 'tool_call_output'; readonly toolCallId: string; readonly output: ToolOutput }
  | { readonly type: 'tool_call_finished'; readonly call: ToolCall }
  /** A command as a whole, with all it has printed. */
  | { readonly type: 'command'; readonly run: CommandRun }
  | { readonly type: 'command_output'; readonly terminalId: string; readonly text: string }
  | { readonly type: 'command_exited'; readonly terminalId: string; readonly exitCode: number }
  | { readonly type: 'plan'; readonly plan: Plan }
  | { readonly type: 'info'; readonly title: string | null; readonly updatedAt: string }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'commands' }
  /** The agent switched the mode by itself, or by way of an option. */
  | { readonly type: 'mode_changed'; readonly settings: Settings }
  | { readonly type: 'options_changed'; readonly settings: Settings }
  | { readonly type: 'state'; readonly state: SessionState }
  | { readonly type: 'state'; readonly state: 'idle'; readonly stopReason: StopReason }
  | {
      readonly type: 'state';
      readonly state: 'idle';
      readonly stopReason: 'error';
      readonly error: { readonly code: number; readonly message: string };
    };

export type SessionState = 'idle' | 'running' | 'requires_action';

export type StopReason = 'end_turn' | 'cancelled';

/** Takes events in order; resolves when the client can take more. */
export type Emit = (event: SessionEvent) => Promise<void>;

export type EventType = SessionEvent['type'];
export type EventOf<T extends EventType> = Extract<SessionEvent, { type: T }>;
