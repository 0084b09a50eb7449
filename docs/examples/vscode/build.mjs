// Builds the extension into a folder: the host as CommonJS, the webview as one script and one style sheet.
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
  logLevel: 'warning',
};

/** The packages of MCP are in a file of their own, which is loaded when a session gets tools for the first time. */
const mcpPackages = {
  name: 'mcp-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^@modelcontextprotocol\/server(\/stdio)?$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './mcp.cjs', external: true } : undefined,
    );
  },
};

const host = {
  ...shared,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
};

await Promise.all([
  build({
    ...host,
    entryPoints: { extension: 'src/extension.ts' },
    // VS Code provides this module.
    external: ['vscode'],
    plugins: [mcpPackages],
  }),
  build({
    ...host,
    stdin: {
      contents:
        "export * from '@modelcontextprotocol/server'; export * from '@modelcontextprotocol/server/stdio';",
      resolveDir: here,
    },
    // The name of a file from stdin is `stdin`.
    outfile: join(outdir, 'mcp.cjs'),
    outdir: undefined,
    outExtension: undefined,
  }),
  // The default agent. It is a program of its own, so it is a file of its own.
  build({
    ...shared,
    entryPoints: { 'demo-agent': demoAgent },
    platform: 'node',
    target: 'node20',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    // Some dependencies are CommonJS modules that call `require`, which an ES module does not have.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  }),
  build({
    ...shared,
    entryPoints: { webview: 'webview/main.tsx' },
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  }),
]);
