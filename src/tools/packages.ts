import { InvalidParamsError } from '../core/base/errors.ts';

/** The packages of MCP. They are loaded when the first server is used. */
export type McpPackages = Awaited<ReturnType<typeof loadMcp>>;

// Each import is in a `try` of its own: bundlers then accept that the package is not installed.

/** @throws {@link InvalidParamsError} if the package is not installed. */
export async function loadMcp() {
  try {
    const server = await import('@modelcontextprotocol/server');
    const stdio = await import('@modelcontextprotocol/server/stdio');
    return { server, stdio };
  } catch (error) {
    throw missing('@modelcontextprotocol/server', 'Tools of the editor', error);
  }
}

/** @throws {@link InvalidParamsError} if the package is not installed. */
export async function loadValibotConversion(): Promise<typeof import('@valibot/to-json-schema')> {
  try {
    return await import('@valibot/to-json-schema');
  } catch (error) {
    throw missing('@valibot/to-json-schema', 'Tools with a schema of valibot', error);
  }
}

function missing(name: string, user: string, cause: unknown): InvalidParamsError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new InvalidParamsError(
    `${user} need the package ${name}, which cannot be loaded: ${reason}\nNothing was sent. Install it: npm install ${name}`,
    { cause },
  );
}
