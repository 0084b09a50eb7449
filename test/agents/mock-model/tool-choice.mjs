import { fileContent, searchNames } from './directives.mjs';

const shellNames = [
  'Bash',
  'bash',
  'run_shell_command',
  'exec_command',
  'shell_command',
  'shell',
  'execute_command',
  'execute_bash',
  'run_terminal_command',
  'run_terminal_cmd',
  'run_commands',
];

/** The names of tools by their purpose. The first one that the agent has is called. */
const toolNames = {
  write: ['Write', 'write', 'write_file', 'write_to_file', 'create_file', 'create', 'apply_patch', 'editor'],
  read: ['Read', 'read', 'read_file', 'read_files', 'view'],
  shell: shellNames,
  run: shellNames,
  plan: ['TodoWrite', 'todowrite', 'todo_write', 'write_todos', 'update_plan', 'write_tasks', 'todo'],
  task: ['Agent', 'Task', 'task', 'agent', 'spawn_agent', 'spawn_subagent', 'delegate'],
};

/** A command with the same effect, for an agent without such a tool. */
const commandInstead = {
  write: (path) => `printf '${fileContent.trim()}\\n' > ${path}`,
  read: (path) => `cat ${path}`,
};

const steps = [
  { text: 'Look around', status: 'in_progress' },
  { text: 'Come back', status: 'pending' },
];

/**
 * The tool call for a directive: `{ tool, input }`. `input` is a text if the tool takes free text. `undefined` if the
 * agent has no such tool.
 *
 * @param tools - A list of `{ name, schema, takesText }`.
 */
export function chooseTool({ kind, argument, found }, tools) {
  if (kind === 'tool') {
    // The name has the prefix that the agent gives to the tools of a server.
    const tool = tools.find(({ name }) => name?.endsWith(argument));
    if (tool) return { tool, input: inputFor(tool, kind, argument) };
    if (found === undefined) {
      const search = tools.find(({ name }) => searchNames.has(name));
      return search && { tool: search, input: { query: argument } };
    }
    // A tool that calls another one by the name that the search gave.
    const caller = tools.find(({ name }) => name in callersByName);
    const target = caller && describedIn(found).find(({ name }) => name.endsWith(argument));
    if (!target) return undefined;
    const input = inputFor(target, kind, argument);
    return { tool: caller, input: callersByName[caller.name](target.name, input) };
  }
  for (const name of toolNames[kind]) {
    // The name can have the prefix of a server, as in mcp__acp__Write.
    const tool = tools.find((candidate) => candidate.name === name || candidate.name?.endsWith(`__${name}`));
    if (tool) return { tool, input: inputFor(tool, kind, argument) };
  }
  const command = commandInstead[kind]?.(argument);
  return command && chooseTool({ kind: 'shell', argument: command }, tools);
}

/** The tools that call another one, and their input: those of qwen and of grok. */
const callersByName = {
  tool_call: (name, input) => ({ name, arguments: input }),
  use_tool: (name, input) => ({ tool_name: name, tool_input: input }),
};

/** The tools in the result of a search, as qwen and grok write them. */
function describedIn(found) {
  const ofQwen = [...found.matchAll(/<function>(.*)<\/function>/g)].map(([, json]) => JSON.parse(json));
  const ofGrok = [...found.matchAll(/"tool_name": "([^"]+)"[\s\S]*?"input_schema": (\{[\s\S]*?\n {10}\})/g)];
  return [
    ...ofQwen.map(({ name, parametersJsonSchema }) => ({ name, schema: parametersJsonSchema })),
    ...ofGrok.map(([, name, schema]) => ({ name, schema: JSON.parse(schema) })),
  ];
}

function inputFor(tool, kind, argument) {
  const patch = `*** Begin Patch\n*** Add File: ${argument}\n+${fileContent}*** End Patch\n`;
  if (tool.takesText) return patch;
  if (tool.name === 'apply_patch') return { input: patch, patchText: patch };
  const { properties = {}, required = [] } = tool.schema ?? {};
  const input = {};
  for (const [name, schema] of Object.entries(properties)) {
    const value = valueFor(name, schema ?? {}, kind, argument);
    if (value !== undefined) input[name] = value;
    else if (required.includes(name)) input[name] = placeholder(name, schema ?? {});
  }
  return input;
}

const isList = ({ type }) => /^array$/i.test(type ?? '');
const isObject = ({ type }) => /^object$/i.test(type ?? '');

/** The parameters of tools that have a meaning here. */
const meanings = [
  {
    name: /^(file_?path|absolute_path|target_file|path|filename|file)$/i,
    kinds: ['write', 'read'],
    value: (_schema, argument) => argument,
  },
  {
    name: /^files$/i,
    kinds: ['read'],
    value: ({ items = {} }, argument) => [isObject(items) ? { path: argument } : argument],
  },
  {
    name: /^(content|contents|file_text|file_content|text)$/i,
    kinds: ['write'],
    value: () => fileContent,
  },
  // An editor with sub-commands.
  {
    name: /^command$/i,
    kinds: ['write'],
    value: (schema) => (schema.enum?.includes('create') ? 'create' : undefined),
  },
  {
    name: /^(command|cmd|script)$/i,
    kinds: ['shell', 'run'],
    value: (schema, argument) => (isList(schema) ? ['bash', '-c', argument] : argument),
  },
  {
    name: /^commands$/i,
    kinds: ['shell', 'run'],
    value: ({ items = {} }, argument) => [isObject(items) ? { command: argument } : argument],
  },
  {
    name: /^(todos|plan|tasks)$/i,
    kinds: ['plan'],
    value: ({ items = {} }) => steps.map((step, index) => planItem(items.properties ?? {}, step, index)),
  },
  {
    name: /^(prompt|message|task|task_description)$/i,
    kinds: ['task'],
    value: (_schema, argument) => `Read this for me. [[read ${argument}]]`,
  },
  {
    name: /^(subagent_type|agent_type)$/i,
    kinds: ['task'],
    value: ({ enum: types = ['general-purpose'] }) =>
      types.find((type) => type.startsWith('general')) ?? types[0],
  },
  { name: /^(run_in_background|background)$/i, kinds: ['task'], value: () => false },
  // Without these, an agent with a sandbox runs the command inside it and does not ask for permission.
  { name: /^sandbox_permissions$/i, kinds: ['shell'], value: () => 'require_escalated' },
  { name: /^justification$/i, kinds: ['shell'], value: () => 'The scenario asks for it.' },
];

function valueFor(name, schema, kind, argument) {
  const meaning = meanings.find((candidate) => candidate.name.test(name) && candidate.kinds.includes(kind));
  return meaning?.value(schema, argument);
}

function planItem(properties, { text, status }, index) {
  const known = { status, priority: 'medium', id: String(index + 1) };
  const names = Object.keys(properties).length > 0 ? Object.keys(properties) : ['step', 'status'];
  return Object.fromEntries(names.map((name) => [name, known[name] ?? text]));
}

/** A value of the right type for a required parameter without a meaning here. */
export function placeholder(name, { type, enum: choices, properties, required = [] }) {
  if (choices) return choices[0];
  if (/^object$/i.test(type ?? '')) {
    return Object.fromEntries(required.map((key) => [key, placeholder(key, properties?.[key] ?? {})]));
  }
  const byType = { boolean: false, integer: 10_000, number: 10_000, array: [] };
  return byType[String(type).toLowerCase()] ?? `mock ${name}`;
}
