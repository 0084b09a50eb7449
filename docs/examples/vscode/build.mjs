// Builds the extension into a folder: the host and the page of the panel as CommonJS, and the demo agent.
//
//   node build.mjs [folder]

import { join, resolve } from 'node:path';
import { demoAgentCommand } from 'acp-client-sdk/node';
import { build } from 'esbuild';

const here = import.meta.dirname;
const outdir = resolve(process.argv[2] ?? join(here, 'dist'));
const [demoAgent] = demoAgentCommand().args;
const shared = {
  absWorkingDir: here,
  outdir,
  bundle: true,
  minify: true,
  sourcemap: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
};

/** The packages of MCP are in a file of their own, which is loaded when a session gets tools for the first time. */
const mcpPackages = {
  name: 'mcp-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^@modelcontextprotocol\/server(\/stdio)?$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './mcp.js', external: true } : undefined,
    );
  },
};

await Promise.all([
  build({
    ...shared,
    entryPoints: {
      extension: 'src/extension.ts',
      mcp: 'src/mcp.ts',
      'panel-element': 'acp-client-sdk/panel-element',
    },
    format: 'cjs',
    // VS Code provides this module.
    external: ['vscode'],
    plugins: [mcpPackages],
  }),
  // The default agent. It is a program of its own, so it is a file of its own.
  build({
    ...shared,
    entryPoints: { 'demo-agent': demoAgent },
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    // Some dependencies are CommonJS modules that call `require`, which an ES module does not have.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  }),
]);
