import { ensureInstalled, ensurePages, ensureProgram, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
ensureProgram()
// As the program is started: some measures serve in this process.
handOver(['--max-semi-space-size=16', 'bench/run.ts', ...process.argv.slice(2)])
