import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'coverage/', '.vscode-test/', 'node_modules/', 'test/fixtures/demo-workspace/'] },
  {
    files: ['src/**/*.{ts,tsx}', 'test/**/*.ts', 'scripts/**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['.', 'src/core', 'src/webview', 'test/ui'].map((folder) => `./${folder}/tsconfig.json`),
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true, argsIgnorePattern: '^_' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Allows `return showInfo(…)`. `no-floating-promises` finds promises that aren't handled.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // `noUncheckedIndexedAccess` makes the type of `list[i]` optional, so `!` is needed after a bounds check.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      'max-lines': ['error', 600],
    },
  },
  { files: ['src/**/*.{ts,tsx}', 'scripts/**/*.ts'], rules: { 'max-lines-per-function': ['error', 120] } },
  // Files with longer functions. Don't add to this list.
  {
    files: ['features.ts', 'threadkeeper.ts', 'transcript-list.tsx', 'composer.tsx'].map((name) => `src/**/${name}`),
    rules: { 'max-lines-per-function': ['error', 220] },
  },
  // Declares the default export that the bundler generates for text files.
  { files: ['src/text-files.d.ts'], rules: { 'no-restricted-exports': 'off' } },
  {
    files: ['test/**/*.ts'],
    rules: {
      // Tests read parsed JSON and partial stand-ins, whose types are `any`.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      // Assertions narrow types, although later code may have changed the value.
      '@typescript-eslint/no-unnecessary-condition': 'off',
    },
  },
);
