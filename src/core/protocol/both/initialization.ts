import * as v from '../vocabulary.ts';

export const ProtocolVersion = v.integerBetween(0, 65535);
export type ProtocolVersion = v.InferOutput<typeof ProtocolVersion>;

export const Implementation = v.struct({
  name: v.string(),
  version: v.string(),
  title: v.nullableString,
  _meta: v.meta,
});
export type Implementation = v.InferOutput<typeof Implementation>;

export const ElicitationCapabilities = v.struct({ form: v.marker, url: v.marker, _meta: v.meta });
export type ElicitationCapabilities = v.InferOutput<typeof ElicitationCapabilities>;

export const SessionSystemPromptModeCapabilities = v.struct({ override: v.marker, _meta: v.meta });
export type SessionSystemPromptModeCapabilities = v.InferOutput<typeof SessionSystemPromptModeCapabilities>;

export const SessionSystemPromptCapabilities = v.struct({
  mode: v.nullish(SessionSystemPromptModeCapabilities),
  _meta: v.meta,
});
export type SessionSystemPromptCapabilities = v.InferOutput<typeof SessionSystemPromptCapabilities>;
