// How the interface is built: Svelte into `dist`, and the unit tests' settings.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: ['es2022', 'safari16'],
    outDir: 'dist',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  clearScreen: false,
  server: { port: 1420, strictPort: true, host: '127.0.0.1' },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
