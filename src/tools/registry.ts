import * as v from 'valibot';
import { InvalidParamsError } from '../core/base/errors.ts';
import { kindOf } from '../core/base/kind-of.ts';
import { callback, checkOptions, optional, optionsObject, shown } from '../core/base/options.ts';
import { isStandardSchema, readySchema } from './schema.ts';
import type { Tool, ToolContext } from './tool.ts';

/** A tool whose schemas are ready for use. */
export type ReadyTool = Awaited<ReturnType<typeof readyTool>>;

/** How many tools a server has. An agent gives all of them to its model. */
export const maxTools = 1000;

/** @see https://modelcontextprotocol.io/specification/draft/server/tools#tool-names */
const namePattern = /^[A-Za-z0-9_.-]{1,128}$/;

const schema = v.custom<NonNullable<Tool['input']>>(
  (value) =>
    isStandardSchema(value) || (typeof value === 'object' && value !== null && !Array.isArray(value)),
  ({ input }) => `must be a Standard Schema or a JSON Schema; got ${kindOf(input)}`,
);

const ToolOptions = optionsObject({
  title: optional(v.string()),
  description: v.string(),
  input: optional(schema),
  output: optional(schema),
  annotations: optional(v.looseObject({})),
  run: callback,
} satisfies { readonly [K in keyof Required<Tool>]: v.GenericSchema });

/** Checks a name of a server or a tool, which an agent makes a part of a name for its model. */
export function assertName(call: string, what: string, name: unknown): asserts name is string {
  if (typeof name === 'string' && namePattern.test(name)) return;
  throw new InvalidParamsError(
    `${call}: the name of ${what} must have 1 to 128 letters, digits, "_", "-" and "."; got ${shown(name)}. Nothing was done.`,
  );
}

/** Checks a tool before its schemas are read. */
export function assertTool(call: string, name: string, tool: unknown): asserts tool is Tool {
  assertName(call, 'a tool', name);
  checkOptions(`${call}: the tool ${name}`, ToolOptions, tool);
}

/** Makes a tool ready for use. */
export async function readyTool(name: string, tool: Tool) {
  const { title, description, annotations } = tool;
  const input = await readySchema(`The input of the tool ${name}`, tool.input);
  const output = tool.output && (await readySchema(`The output of the tool ${name}`, tool.output));
  return {
    name,
    input,
    output,
    /** How the agent sees the tool. */
    listed: {
      name,
      description,
      inputSchema: input.jsonSchema,
      ...(title !== undefined && { title }),
      ...(output && { outputSchema: output.jsonSchema }),
      ...(annotations && { annotations: { ...annotations } }),
    },
    // The schema has checked the input, whose type it has.
    run: (checked: unknown, context: ToolContext) => tool.run(checked as never, context),
  };
}
