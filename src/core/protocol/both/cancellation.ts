import * as v from '../vocabulary.ts';

export const RequestId = v.union([v.string(), v.integer, v.null()]);
export type RequestId = v.InferOutput<typeof RequestId>;

export const CancelRequestNotification = v.struct({ requestId: RequestId, _meta: v.meta });
export type CancelRequestNotification = v.InferOutput<typeof CancelRequestNotification>;
