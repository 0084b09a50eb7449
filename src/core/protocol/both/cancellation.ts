import * as v from 'valibot';
import { integer, meta, struct } from '../vocabulary.ts';

export const RequestId = v.union([v.string(), integer, v.null()]);
export type RequestId = v.InferOutput<typeof RequestId>;

export const CancelRequestNotification = struct({ requestId: RequestId, _meta: meta });
export type CancelRequestNotification = v.InferOutput<typeof CancelRequestNotification>;
