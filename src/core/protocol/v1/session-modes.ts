import * as v from '../vocabulary.ts';

export const SessionMode = v.struct({
  id: v.string(),
  name: v.string(),
  description: v.nullableString,
  _meta: v.meta,
});
export type SessionMode = v.InferOutput<typeof SessionMode>;

export const SessionModeState = v.struct({
  currentModeId: v.string(),
  availableModes: v.withDefault(v.lenientArray(SessionMode), []),
  _meta: v.meta,
});
export type SessionModeState = v.InferOutput<typeof SessionModeState>;

export const CurrentModeUpdate = v.struct({ currentModeId: v.string(), _meta: v.meta });
export type CurrentModeUpdate = v.InferOutput<typeof CurrentModeUpdate>;

export const SetSessionModeRequest = v.struct({ sessionId: v.string(), modeId: v.string(), _meta: v.meta });
export type SetSessionModeRequest = v.InferOutput<typeof SetSessionModeRequest>;
