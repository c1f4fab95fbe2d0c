// Spacing, radii and text sizes come from the tokens in src/styles/tokens.css. So do heights for which there is a token.
const length = '/(?<![\\w-])\\d*\\.?\\d+(px|rem)\\b/';
const heightWithToken = '/^(1|1\\.125|1\\.25|1\\.375|1\\.5|1\\.625|1\\.75|2|2\\.25|2\\.5)rem$/';

export default {
  overrides: [{ files: ['**/*.svelte'], customSyntax: 'postcss-html' }],
  ignoreFiles: ['src/styles/tokens.css'],
  rules: {
    'declaration-property-value-disallowed-list': [
      {
        '/^(margin|padding|inset|scroll-margin|scroll-padding)/': [length],
        '/^(top|right|bottom|left|gap|row-gap|column-gap)$/': [length],
        '/^border.*-radius$/': [length],
        '/^(font|font-size|line-height)$/': [length],
        '/^(min-)?height$/': [heightWithToken],
      },
      { message: (property, value) => `Use a token of tokens.css in place of "${value}" for "${property}".` },
    ],
  },
};
