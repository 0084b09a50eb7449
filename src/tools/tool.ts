import type { JsonObject } from '../core/base/json.ts';
import type { Session } from '../core/client/session/session.ts';
import type { ToolCallProgress } from '../core/model/tool-call.ts';
import type { StandardSchema, ToolSchema } from './schema.ts';

/** A part of what a tool returns. The names are those of MCP. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string; readonly _meta?: JsonObject | undefined }
  | {
      readonly type: 'image' | 'audio';
      /** The data, in base64. */
      readonly data: string;
      readonly mimeType: string;
      readonly _meta?: JsonObject | undefined;
    }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType?: string | undefined } & (
        | { readonly text: string }
        | {
            /** The data, in base64. */
            readonly blob: string;
          }
      );
      readonly _meta?: JsonObject | undefined;
    }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly title?: string | undefined;
      readonly description?: string | undefined;
      readonly mimeType?: string | undefined;
      readonly _meta?: JsonObject | undefined;
    };

/** Structured output, with or without content beside it. */
export interface StructuredOutput {
  /** Matches the tool's `output`, if it has one. */
  readonly structuredContent: JsonObject;
  /** For agents that do not read structured output. Default: the output as JSON. */
  readonly content?: readonly ToolContent[] | undefined;
  readonly _meta?: JsonObject | undefined;
}

/** What a tool returns: a text, content, structured output, or nothing. */
export type ToolResult = string | ToolContent | readonly ToolContent[] | StructuredOutput | undefined | void;

/** How far a call is. */
export type ToolProgress = ToolCallProgress;

/** What a tool knows of its call. */
export interface ToolContext {
  /** The session that the call belongs to. */
  readonly session: Session;
  /**
   * Aborted when nothing waits for the result any more: the agent cancelled the call, the user cancelled the turn, the
   * session was closed, or the agent ended. What the tool returns later is dropped.
   */
  readonly signal: AbortSignal;
  /**
   * Says how far the call is: to the agent, if it asked for that, and in the tool call of the transcript, if the agent
   * names it (`toolCallId`). The transcript has it as `progress` until the call ends. Never throws.
   */
  readonly progress: (progress: ToolProgress) => void;
  /**
   * The tool call in the transcript, for `findToolCall(session.conversation, toolCallId)`. `undefined` if the agent does
   * not name it.
   */
  readonly toolCallId: string | undefined;
  /** The `_meta` of the call, as the agent sent it. */
  readonly meta: JsonObject | undefined;
}

/** Hints for the agent about what a tool does. An agent can use them to decide whether to ask the user. */
export interface ToolAnnotations {
  readonly title?: string | undefined;
  /** The tool changes nothing. */
  readonly readOnlyHint?: boolean | undefined;
  /** The tool can delete or overwrite something. */
  readonly destructiveHint?: boolean | undefined;
  /** A second call with the same input has no further effect. */
  readonly idempotentHint?: boolean | undefined;
  /** The tool reaches beyond the editor, such as the internet. */
  readonly openWorldHint?: boolean | undefined;
}

/** The input that `run` gets: what a Standard Schema outputs, or any object for a JSON Schema. */
export type ToolInput<Input> = unknown extends Input ? { readonly [key: string]: unknown } : Input;

/** A tool of the editor. */
export interface Tool<Input = unknown> {
  /** The name that an agent shows to the user. Default: the tool's name. */
  readonly title?: string | undefined;
  /** What the tool does, and when to use it. It is for the model. */
  readonly description: string;
  /**
   * The schema of the input: a Standard Schema (valibot, zod, ArkType and others) of an object, or a JSON Schema of the
   * type `object`. Default: no input.
   */
  readonly input?: StandardSchema<unknown, Input> | JsonObject | undefined;
  /** The schema of the structured output, as for `input`. Default: no structured output is announced. */
  readonly output?: ToolSchema | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /**
   * Runs a call. The input matches the schema. Calls can run at the same time.
   *
   * What it throws is a diagnostic for the editor. The agent gets an error that does not repeat it. Throw a
   * {@link ToolError} to tell the model what went wrong.
   */
  readonly run: (input: ToolInput<Input>, context: ToolContext) => ToolResult | Promise<ToolResult>;
}

/**
 * An error of a tool, such as a file that does not exist. The agent's model gets the message.
 *
 * @example
 * ```ts
 * throw new ToolError(`There is no file ${path}. Use an absolute path.`);
 * ```
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
