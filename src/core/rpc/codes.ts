/** The error codes with a meaning in ACP. Imported as `* as rpcCodes`. */

export const invalidRequest = -32600;
export const methodNotFound = -32601;
export const invalidParams = -32602;
export const internalError = -32603;
export const authRequired = -32000;
export const notFound = -32002;
export const unsupportedVersion = -32022;
export const cancelled = -32800;

/** @see https://agentclientprotocol.com/rfds/mcp-over-acp */
export const mcpLimitExceeded = -33000;
export const mcpServerUnavailable = -33001;
