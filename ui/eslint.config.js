// Lint rules. Texts of the interface are in lib/texts. Layers: views → components → lib; only state calls rpc. Type imports from rpc are allowed everywhere.
import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

/** Forbids imports from other layers. Type imports from rpc stay allowed. */
const forbid = (layers, message) => ({
  '@typescript-eslint/no-restricted-imports': [
    'error',
    {
      patterns: layers.map((layer) => ({
        regex: `^(\\.\\./)+${layer}/`,
        message,
        allowTypeImports: layer === 'rpc',
      })),
    },
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
  {
    files: ['src/**/*.svelte'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':not(SvelteStyleElement, SvelteElement[name.name=/^(code|kbd)$/]) > SvelteText[value=/[a-z]{2}/i]',
          message: 'Texts of the interface are in src/lib/texts.',
        },
        {
          selector:
            'SvelteAttribute[key.name=/^(alt|aria-label|cancel|heading|label|placeholder|text|title|words)$/] > SvelteLiteral[value=/[a-z]{2}/i]',
          message: 'Texts of the interface are in src/lib/texts.',
        },
      ],
    },
  },
  {
    files: ['src/views/**'],
    rules: forbid(['rpc'], 'Views must not call rpc. Call a store in state instead.'),
  },
  {
    files: ['src/components/**'],
    rules: forbid(
      ['rpc', 'state', 'views'],
      'Components must import only lib and other components. Pass data and callbacks as props.',
    ),
  },
  {
    files: ['src/lib/**'],
    rules: forbid(['rpc', 'state', 'views', 'components'], 'Functions in lib must import only lib.'),
  },
  {
    files: ['src/state/**'],
    rules: forbid(['views', 'components'], 'Stores must not import views or components.'),
  },
  {
    files: ['src/rpc/**'],
    rules: forbid(['lib', 'state', 'views', 'components'], 'The rpc layer must not import other layers.'),
  },
);
