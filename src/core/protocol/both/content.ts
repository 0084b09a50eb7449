import * as v from 'valibot';
import {
  byText,
  count,
  lenientArray,
  meta,
  nullableString,
  nullableUri,
  nullish,
  openEnum,
  openVariant,
  struct,
  uri,
} from '../vocabulary.ts';

/**
 * @see https://agentclientprotocol.com/protocol/v1/content
 * @see https://agentclientprotocol.com/protocol/v2/content
 */

export const Role = openEnum<'assistant' | 'user'>();
export type Role = v.InferOutput<typeof Role>;

export const Annotations = struct({
  audience: nullish(lenientArray(Role)),
  lastModified: nullableString,
  priority: nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
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

export const IconTheme = openEnum<'light' | 'dark'>();
export type IconTheme = v.InferOutput<typeof IconTheme>;

export const Icon = struct({
  src: v.string(),
  mimeType: nullableString,
  sizes: nullish(lenientArray(v.string())),
  theme: nullish(IconTheme),
  _meta: meta,
});
export type Icon = v.InferOutput<typeof Icon>;

export const ResourceLink = struct({
  name: v.string(),
  uri,
  title: nullableString,
  description: nullableString,
  mimeType: nullableString,
  icons: nullish(lenientArray(Icon)),
  size: nullish(count),
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

/**
 * Invokes a skill of the agent, for the prompt as a whole. Newer than the published schemas.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/agent-skills
 */
const SkillContent = struct({ name: v.string(), _meta: meta });

export const sentBlocks = {
  text: TextContent,
  image: ImageContent,
  audio: AudioContent,
  resource_link: ResourceLink,
  resource: EmbeddedResource,
};

export const blocks = {
  ...sentBlocks,
  /** @experimental */
  skill: SkillContent,
};

/** The official schema of version 1 is closed. Unknown blocks from an agent are kept unchanged, so that nothing is lost. */
export const ContentBlock = openVariant('type', blocks);
export type ContentBlock = v.InferOutput<typeof ContentBlock>;
