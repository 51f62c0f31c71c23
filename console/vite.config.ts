import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The server that `npm run dev` forwards API calls to. The Host header stays that of Vite, so that the
// server takes the browser's requests for its own origin.
const server = process.env['DAYBOOK_SERVER'] ?? 'http://127.0.0.1:8080';
const forwarded = ['/v5', '/auth', '/links', '/style', '/files', '/docs', '/openapi.json', '/.well-known'];

export default defineConfig({
  base: './',
  plugins: [react()],
  resolve: { alias: { '~': fileURLToPath(new URL('src', import.meta.url)) } },
  server: {
    port: 5173,
    host: '127.0.0.1',
    strictPort: true,
    proxy: Object.fromEntries(forwarded.map((path) => [path, { target: server, changeOrigin: false }])),
  },
  build: {
    target: 'es2022',
    outDir: '../crates/console/dist',
    emptyOutDir: true,
    assetsInlineLimit: 0, // data: URLs would need a wider Content-Security-Policy
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 400,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'vendor-react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 30 },
            // Dragging loads when it is needed; what the first load uses of it comes along as a dependency.
            { name: 'vendor-aria', test: /node_modules\/(react-aria(?!\/.*(?:dnd|useDr))|react-stately|@react-(aria|stately|types)|@internationalized|@swc|@adobe)/, priority: 20 },
            { name: 'vendor-tanstack', test: /node_modules\/@tanstack\//, priority: 20 },
          ],
        },
      },
    },
  },
});
