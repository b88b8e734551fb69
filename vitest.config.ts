import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { OBSERVERS, PROOF_PROJECTS, TEST_PROJECTS } from './test/running/parts.ts'

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    projects: [...TEST_PROJECTS, ...PROOF_PROJECTS].map((project) => ({
      test: {
        name: project.name,
        include: [...project.include],
        exclude: [...project.exclude],
        pool: 'forks' as const,
        // A file in the process of the one before it: loading the program costs more than most tests.
        isolate: project.isAlone === true,
        environment: 'node' as const,
        testTimeout: project.limitSeconds * 1000,
        hookTimeout: project.limitSeconds * 1000,
        // Vitest sets NODE_ENV=test, and a program that a test starts would not be what people run.
        env: { NODE_ENV: 'production' },
        // Node's own loader: Node strips the types, and its compile cache works.
        experimental: { viteModuleRunner: false, nodeLoader: false },
        ...(project.engine === 'postgres' && { globalSetup: ['test/running/postgres.ts'] }),
        setupFiles: [...OBSERVERS, ...(project.engine === 'postgres' ? ['test/running/on-postgres.ts'] : [])],
      },
    })),
  },
})
