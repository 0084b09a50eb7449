import * as v from '../vocabulary.ts';

export const DeleteSessionRequest = v.struct({ sessionId: v.string(), _meta: v.meta });
export type DeleteSessionRequest = v.InferOutput<typeof DeleteSessionRequest>;
