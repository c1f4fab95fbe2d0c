// The house rules: views → parts → pure; only state calls rpc (its types may be named anywhere).
import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

/** Forbids imports of whole rooms; types may pass. */
const forbid = (rooms, message) => ({
  '@typescript-eslint/no-restricted-imports': [
    'error',
    { patterns: rooms.map((room) => ({ regex: `/${room}/`, message, allowTypeImports: room === 'rpc' })) },
  ],
});

export default ts.config(
  { ignores: ['dist', 'node_modules', 'src/rpc/types.gen.ts'] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.browser } } },
  { files: ['scripts/**', '*.config.*'], languageOptions: { globals: { ...globals.node } } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
  },
  {
    rules: {
      'max-lines': ['error', { max: 250 }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'svelte/no-at-html-tags': 'error',
    },
  },
  { files: ['src/views/**'], rules: forbid(['rpc'], 'Views talk to state; only state calls rpc.') },
  {
    files: ['src/parts/**'],
    rules: forbid(['rpc', 'state', 'views'], 'Parts take data and callbacks; they know only parts and pure.'),
  },
  {
    files: ['src/pure/**'],
    rules: forbid(['rpc', 'state', 'views', 'parts'], 'Pure functions know only values.'),
  },
  { files: ['src/state/**'], rules: forbid(['views', 'parts'], 'State does not know how it is shown.') },
  {
    files: ['src/rpc/**'],
    rules: forbid(['state', 'views', 'parts'], 'The wire does not know who listens.'),
  },
);
