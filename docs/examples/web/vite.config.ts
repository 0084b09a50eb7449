import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  server: { host: '127.0.0.1' },
  // Here the package is the repository itself, into whose dependencies Vite does not look ahead.
  optimizeDeps: { include: ['valibot', 'vscode-jsonrpc/browser'] },
});
