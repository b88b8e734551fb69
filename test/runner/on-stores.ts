/** The test files that run a second time, on PostgreSQL. */
export const ON_STORES: readonly string[] = [
  'test/security/**/*.test.ts',
  'src/features/**/*.test.ts',
  'src/http/**/*.test.ts',
  'src/database/**/*.test.ts',
  'src/platform/**/*.test.ts',
  'src/operator/transfer/**/*.test.ts',
  'test/bench/newest-step.test.ts',
]
