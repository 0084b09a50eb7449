import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Vite's development server puts styles and a script into the page. The built page has neither. */
const allowInlineInDevelopment: Plugin = {
  name: 'allow-inline-in-development',
  apply: 'serve',
  transformIndexHtml: (html) => html.replace(/(script|style)-src 'self'/g, "$& 'unsafe-inline'"),
};

/** For an agent on another machine: the page and the server of ../serve have one origin. */
const proxy = { '/acp': { target: process.env['ACP_SERVER'] ?? 'http://127.0.0.1:8137', ws: true } };

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), allowInlineInDevelopment],
  server: { host: '127.0.0.1', proxy },
  preview: { proxy },
  // In this repository the package is found from here, and not from the parts of the page in ../vscode.
  resolve: { dedupe: ['acp-client-sdk'] },
  // Here the package is the repository itself, into whose dependencies Vite does not look ahead.
  optimizeDeps: { include: ['valibot', 'vscode-jsonrpc/browser'] },
});
