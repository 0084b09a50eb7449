import * as v from '../vocabulary.ts';

/**
 * @see https://agentclientprotocol.com/protocol/v1/content
 * @see https://agentclientprotocol.com/protocol/v2/content
 */

export const Role = v.openEnum<'assistant' | 'user'>();
export type Role = v.InferOutput<typeof Role>;

export const Annotations = v.struct({
  audience: v.nullish(v.lenientArray(Role)),
  lastModified: v.nullableString,
  priority: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  _meta: v.meta,
});
export type Annotations = v.InferOutput<typeof Annotations>;

const annotations = v.nullish(Annotations);

export const TextContent = v.struct({ text: v.string(), annotations, _meta: v.meta });
export type TextContent = v.InferOutput<typeof TextContent>;

export const ImageContent = v.struct({
  data: v.string(),
  mimeType: v.string(),
  uri: v.nullish(v.uri),
  annotations,
  _meta: v.meta,
});
export type ImageContent = v.InferOutput<typeof ImageContent>;

export const AudioContent = v.struct({ data: v.string(), mimeType: v.string(), annotations, _meta: v.meta });
export type AudioContent = v.InferOutput<typeof AudioContent>;

export const IconTheme = v.openEnum<'light' | 'dark'>();
export type IconTheme = v.InferOutput<typeof IconTheme>;

export const Icon = v.struct({
  src: v.string(),
  mimeType: v.nullableString,
  sizes: v.nullish(v.lenientArray(v.string())),
  theme: v.nullish(IconTheme),
  _meta: v.meta,
});
export type Icon = v.InferOutput<typeof Icon>;

export const ResourceLink = v.struct({
  name: v.string(),
  uri: v.uri,
  title: v.nullableString,
  description: v.nullableString,
  mimeType: v.nullableString,
  icons: v.nullish(v.lenientArray(Icon)),
  size: v.nullish(v.count),
  annotations,
  _meta: v.meta,
});
export type ResourceLink = v.InferOutput<typeof ResourceLink>;

export const TextResourceContents = v.struct({
  uri: v.uri,
  text: v.string(),
  mimeType: v.nullableString,
  _meta: v.meta,
});
export type TextResourceContents = v.InferOutput<typeof TextResourceContents>;

export const BlobResourceContents = v.struct({
  uri: v.uri,
  blob: v.string(),
  mimeType: v.nullableString,
  _meta: v.meta,
});
export type BlobResourceContents = v.InferOutput<typeof BlobResourceContents>;

/** A text resource has `text`, a binary one has `blob`. */
export const EmbeddedResourceResource = v.byText('text', TextResourceContents, BlobResourceContents);
export type EmbeddedResourceResource = v.InferOutput<typeof EmbeddedResourceResource>;

export const EmbeddedResource = v.struct({ resource: EmbeddedResourceResource, annotations, _meta: v.meta });
export type EmbeddedResource = v.InferOutput<typeof EmbeddedResource>;

/**
 * Invokes a skill of the agent, for the prompt as a whole. Newer than the published schemas.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/agent-skills
 */
const SkillContent = v.struct({ name: v.string(), _meta: v.meta });

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
export const ContentBlock = v.openVariant('type', blocks);
export type ContentBlock = v.InferOutput<typeof ContentBlock>;
