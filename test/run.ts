import { spawn } from 'node:child_process'

/** Everything there is, on SQLite and then on PostgreSQL; named files or patterns run alone. */
const named = process.argv.slice(2)

const PATTERNS = ['src/**/*.test.ts', 'cli/**/*.test.ts', 'test/**/*.test.ts']

process.exitCode = await runTests(named.length > 0 ? named : PATTERNS, {})

function runTests(patterns: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--test', '--test-concurrency=2', ...patterns], {
      stdio: 'inherit',
      env: { ...process.env, ...env },
    })
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
