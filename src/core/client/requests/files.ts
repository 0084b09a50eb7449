import { handlerContext, type RequestContext, type RequestService, runHandler } from './context.ts';

/** @see https://agentclientprotocol.com/protocol/file-system */
export const readTextFile: RequestService = {
  isOffered: ({ readTextFile }) => readTextFile !== undefined,
  handler: 'readTextFile',
  needsSession: true,
  serve: (context: RequestContext) =>
    runHandler<{ path: string; line?: number | null; limit?: number | null }>(
      context,
      ({ path, line, limit }) =>
        context.handlers.readTextFile?.(
          { path, ...(line != null && { line }), ...(limit != null && { limit }) },
          handlerContext(context),
        ),
    ),
};

/** @see https://agentclientprotocol.com/protocol/file-system */
export const writeTextFile: RequestService = {
  isOffered: ({ writeTextFile }) => writeTextFile !== undefined,
  handler: 'writeTextFile',
  needsSession: true,
  serve: (context: RequestContext) =>
    runHandler<{ path: string; content: string }>(context, async ({ path, content }) => {
      await context.handlers.writeTextFile?.({ path, content }, handlerContext(context));
      return {};
    }),
};
