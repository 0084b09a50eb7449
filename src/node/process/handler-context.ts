/** The part of a handler's context that {@link NodeFileSystem} and {@link NodeTerminals} use. */
export interface NodeHandlerContext {
  /** Aborting ends the request. */
  readonly signal?: AbortSignal | undefined;
}
