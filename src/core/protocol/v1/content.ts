import * as v from 'valibot';
import {
  byText,
  integer,
  lenientArray,
  meta,
  nullableString,
  nullableUri,
  nullish,
  openEnum,
  openVariant,
  struct,
  uri,
  variant,
} from '../vocabulary.ts';

/** @see https://agentclientprotocol.com/protocol/v1/content */

export const Role = openEnum<'assistant' | 'user'>();
export type Role = v.InferOutput<typeof Role>;

export const Annotations = struct({
  audience: nullish(lenientArray(Role)),
  lastModified: nullableString,
  priority: nullish(v.number()),
  _meta: meta,
});
export type Annotations = v.InferOutput<typeof Annotations>;

const annotations = nullish(Annotations);

export const TextContent = struct({ text: v.string(), annotations, _meta: meta });
export type TextContent = v.InferOutput<typeof TextContent>;

export const ImageContent = struct({
  data: v.string(),
  mimeType: v.string(),
  uri: nullableUri,
  annotations,
  _meta: meta,
});
export type ImageContent = v.InferOutput<typeof ImageContent>;

export const AudioContent = struct({ data: v.string(), mimeType: v.string(), annotations, _meta: meta });
export type AudioContent = v.InferOutput<typeof AudioContent>;

export const ResourceLink = struct({
  name: v.string(),
  uri,
  title: nullableString,
  description: nullableString,
  mimeType: nullableString,
  size: nullish(integer),
  annotations,
  _meta: meta,
});
export type ResourceLink = v.InferOutput<typeof ResourceLink>;

export const TextResourceContents = struct({
  uri,
  text: v.string(),
  mimeType: nullableString,
  _meta: meta,
});
export type TextResourceContents = v.InferOutput<typeof TextResourceContents>;

export const BlobResourceContents = struct({
  uri,
  blob: v.string(),
  mimeType: nullableString,
  _meta: meta,
});
export type BlobResourceContents = v.InferOutput<typeof BlobResourceContents>;

/** A text resource has `text`, a binary one has `blob`. */
export const EmbeddedResourceResource = byText('text', TextResourceContents, BlobResourceContents);
export type EmbeddedResourceResource = v.InferOutput<typeof EmbeddedResourceResource>;

export const EmbeddedResource = struct({ resource: EmbeddedResourceResource, annotations, _meta: meta });
export type EmbeddedResource = v.InferOutput<typeof EmbeddedResource>;

export const blocks = {
  text: TextContent,
  image: ImageContent,
  audio: AudioContent,
  resource_link: ResourceLink,
  resource: EmbeddedResource,
};

/** The official schema is closed. Unknown blocks from an agent are kept unchanged, so that nothing is lost. */
export const ContentBlock = openVariant('type', blocks);
export type ContentBlock = v.InferOutput<typeof ContentBlock>;

/** A block that the client sends. Only known types are allowed. */
export const SentContentBlock = variant('type', blocks);

/** A block of a prompt. */
export const PromptBlock = variant('type', {
  ...blocks,
  /** Only in version 2. The schema accepts it, so that the capability check reports it. */
  skill: struct({ name: v.string() }),
});
