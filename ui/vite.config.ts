// How the interface is built: Svelte into `dist`, and the unit tests' settings.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** Fonts are asked for behind the script: the window answers one request after the other. */
const fontsLast: Plugin = {
  name: 'fonts-last',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => {
      const fonts = html.match(/ *<link\s+rel="preload"[^>]*>\n/g) ?? [];
      const rest = fonts.reduce((text, font) => text.replace(font, ''), html);
      return rest.replace('</head>', `${fonts.join('')}</head>`);
    },
  },
};

export default defineConfig({
  plugins: [svelte(), fontsLast],
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
