import { defineConfig } from '@playwright/test'

/** `journeys` are what people do most, in `npm test`; `pages` is every page in every state, in `npm run proof`. */
export default defineConfig({
  testDir: 'test/browser',
  outputDir: 'node_modules/.cache/browser',
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  use: { actionTimeout: 20_000, navigationTimeout: 30_000 },
  projects: [
    { name: 'journeys', testMatch: 'journeys/**/*.e2e.ts' },
    { name: 'pages', testMatch: '**/*.e2e.ts', testIgnore: 'journeys/**' },
  ],
})
