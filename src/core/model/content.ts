import type { JsonObject } from '../base/json.ts';

/** Hints about the use of content. */
export interface Annotations {
  readonly audience?: readonly string[] | null | undefined;
  readonly lastModified?: string | null | undefined;
  readonly priority?: number | null | undefined;
  readonly _meta?: JsonObject | null | undefined;
}

/** Text, usually Markdown. */
export interface TextContent {
  readonly type: 'text';
  readonly text: string;
  readonly annotations?: Annotations | null | undefined;
  readonly _meta?: JsonObject | null | undefined;
}

/** An image. In a prompt, it requires `session.prompt.image`. */
export interface ImageContent {
  readonly type: 'image';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  /** Source of the image. Fetching it reveals the reader to the server: ask the user first. */
  readonly uri?: string | null | undefined;
  readonly annotations?: Annotations | null | undefined;
  readonly _meta?: JsonObject | null | undefined;
}

/** Audio. In a prompt, it requires `session.prompt.audio`. */
export interface AudioContent {
  readonly type: 'audio';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly annotations?: Annotations | null | undefined;
  readonly _meta?: JsonObject | null | undefined;
}

/** A link to a resource that the agent can read. */
export interface ResourceLink {
  readonly type: 'resource_link';
  readonly name: string;
  readonly uri: string;
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly mimeType?: string | null | undefined;
  /** In bytes. */
  readonly size?: number | null | undefined;
  readonly annotations?: Annotations | null | undefined;
  readonly _meta?: JsonObject | null | undefined;
}

/** A resource with its content. */
export interface EmbeddedResource {
  readonly type: 'resource';
  readonly resource: TextResource | BlobResource;
  readonly annotations?: Annotations | null | undefined;
  readonly _meta?: JsonObject | null | undefined;
}

/** A text resource. */
export interface TextResource {
  readonly uri: string;
  readonly text: string;
  readonly mimeType?: string | null | undefined;
  readonly _meta?: JsonObject | null | undefined;
}

/** A binary resource. */
export interface BlobResource {
  readonly uri: string;
  /** Base64. */
  readonly blob: string;
  readonly mimeType?: string | null | undefined;
  readonly _meta?: JsonObject | null | undefined;
}

/**
 * Invokes a skill of the agent, for the prompt as a whole. It requires `session.prompt.skill`, and where it is not the first
 * block of the prompt also `session.prompt.skill.inline`.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/agent-skills
 */
export interface SkillContent {
  readonly type: 'skill';
  /** The name of a skill in `conversation.commands`. */
  readonly name: string;
  readonly _meta?: JsonObject | null | undefined;
}

/**
 * A block, or an item of the output of a tool call, of a type that this library does not know, unchanged. The type
 * `_malformed` is a malformed one of a known type; its `value` is what the agent sent.
 *
 * `type` is declared as `_…`, so that a `switch` narrows the known types. Future types without an underscore have this
 * type as well.
 */
export interface UnknownContent {
  readonly type: `_${string}`;
  readonly [key: string]: unknown;
}

/**
 * A block of content: text, an image, audio, a link to a resource, or an embedded resource.
 *
 * @see https://agentclientprotocol.com/protocol/content
 */
export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource
  | SkillContent
  | UnknownContent;

/**
 * A block of content that a client sends. Version 2 also takes blocks of an extension, whose type begins with `_`:
 * declare a literal of one as {@link UnknownContent}.
 *
 * @see https://agentclientprotocol.com/protocol/content
 */
export type ContentBlockInput =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource
  | SkillContent
  // Without other keys: compilers explain an error with the member that has the most keys of a wrong block.
  | { readonly type: `_${string}` };

/** Whether a block is a text without a character. Agents send it for its metadata. */
export function isEmptyText(block: ContentBlock): boolean {
  return block.type === 'text' && block.text === '';
}

/** The texts of content as one text. */
export function joinedText(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
