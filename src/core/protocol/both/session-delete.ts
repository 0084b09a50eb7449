import * as v from 'valibot';
import { meta, struct } from '../vocabulary.ts';

export const DeleteSessionRequest = struct({ sessionId: v.string(), _meta: meta });
export type DeleteSessionRequest = v.InferOutput<typeof DeleteSessionRequest>;
