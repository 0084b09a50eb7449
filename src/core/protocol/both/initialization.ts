import * as v from 'valibot';
import { marker, meta, nullableString, nullish, struct } from '../vocabulary.ts';

export const ProtocolVersion = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65535));
export type ProtocolVersion = v.InferOutput<typeof ProtocolVersion>;

export const Implementation = struct({
  name: v.string(),
  version: v.string(),
  title: nullableString,
  _meta: meta,
});
export type Implementation = v.InferOutput<typeof Implementation>;

export const ElicitationCapabilities = struct({ form: marker, url: marker, _meta: meta });
export type ElicitationCapabilities = v.InferOutput<typeof ElicitationCapabilities>;

export const SessionSystemPromptModeCapabilities = struct({ override: marker, _meta: meta });
export type SessionSystemPromptModeCapabilities = v.InferOutput<typeof SessionSystemPromptModeCapabilities>;

export const SessionSystemPromptCapabilities = struct({
  mode: nullish(SessionSystemPromptModeCapabilities),
  _meta: meta,
});
export type SessionSystemPromptCapabilities = v.InferOutput<typeof SessionSystemPromptCapabilities>;
