import * as v from 'valibot';
import { lenientArray, meta, nullableString, struct, withDefault } from '../vocabulary.ts';

export const SessionMode = struct({
  id: v.string(),
  name: v.string(),
  description: nullableString,
  _meta: meta,
});
export type SessionMode = v.InferOutput<typeof SessionMode>;

export const SessionModeState = struct({
  currentModeId: v.string(),
  availableModes: withDefault(lenientArray(SessionMode), []),
  _meta: meta,
});
export type SessionModeState = v.InferOutput<typeof SessionModeState>;

export const CurrentModeUpdate = struct({ currentModeId: v.string(), _meta: meta });
export type CurrentModeUpdate = v.InferOutput<typeof CurrentModeUpdate>;

export const SetSessionModeRequest = struct({ sessionId: v.string(), modeId: v.string(), _meta: meta });
export type SetSessionModeRequest = v.InferOutput<typeof SetSessionModeRequest>;
