import type * as jsonrpc from 'vscode-jsonrpc';
import * as platform from '#jsonrpc';

export type { DataCallback, Disposable, Message, MessageReader, MessageWriter } from 'vscode-jsonrpc';

// At run time these come from the entry for the platform. Their types come from the entry that has none, so that the
// declarations of this package are the same everywhere, and a page can be compiled without the types of Node.

export const AbstractMessageReader: typeof jsonrpc.AbstractMessageReader = platform.AbstractMessageReader;
export const AbstractMessageWriter: typeof jsonrpc.AbstractMessageWriter = platform.AbstractMessageWriter;
