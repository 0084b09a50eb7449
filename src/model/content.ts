import type { JsonObject } from '../json.ts';

/** Hints about how content is meant to be used. */
export interface Annotations {
  readonly audience?: readonly string[] | null;
  readonly lastModified?: string | null;
  readonly priority?: number | null;
  readonly _meta?: JsonObject | null;
}

/** Text, as a rule Markdown. */
export interface TextContent {
  readonly type: 'text';
  readonly text: string;
  readonly annotations?: Annotations | null;
  readonly _meta?: JsonObject | null;
}

/** A picture. In a prompt it needs `session.prompt.image`. */
export interface ImageContent {
  readonly type: 'image';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  /** Where the picture comes from. Do not fetch it unasked: that tells its server who reads. */
  readonly uri?: string | null;
  readonly annotations?: Annotations | null;
  readonly _meta?: JsonObject | null;
}

/** A recording of sound. In a prompt it needs `session.prompt.audio`. */
export interface AudioContent {
  readonly type: 'audio';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly annotations?: Annotations | null;
  readonly _meta?: JsonObject | null;
}

/** A reference to a resource that the agent can read by itself. */
export interface ResourceLink {
  readonly type: 'resource_link';
  readonly name: string;
  readonly uri: string;
  readonly title?: string | null;
  readonly description?: string | null;
  readonly mimeType?: string | null;
  /** In bytes. */
  readonly size?: number | null;
  readonly annotations?: Annotations | null;
  readonly _meta?: JsonObject | null;
}

/** A resource carried whole, so that the agent need not read it. */
export interface EmbeddedResource {
  readonly type: 'resource';
  readonly resource: TextResource | BlobResource;
  readonly annotations?: Annotations | null;
  readonly _meta?: JsonObject | null;
}

/** A resource that is text. */
export interface TextResource {
  readonly uri: string;
  readonly text: string;
  readonly mimeType?: string | null;
  readonly _meta?: JsonObject | null;
}

/** A resource that is bytes. */
export interface BlobResource {
  readonly uri: string;
  /** Base64. */
  readonly blob: string;
  readonly mimeType?: string | null;
  readonly _meta?: JsonObject | null;
}

/**
 * A block of a type this library does not know, kept as it came.
 *
 * The type is written `_…` so that a `switch` over `type` narrows the known ones. That is a small, deliberate
 * lie for a future type without an underscore, which arrives here as well.
 */
export interface UnknownContent {
  readonly type: `_${string}`;
  readonly [key: string]: unknown;
}

/**
 * One piece of content: text, an image, audio, a link to a resource, an embedded resource.
 *
 * @see https://agentclientprotocol.com/protocol/content
 */
export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource
  | UnknownContent;
