import { ensureInstalled, ensureProgram, handOver } from './ensure.mjs'

ensureInstalled()
ensureProgram()
handOver(['test/chaos/run.ts', ...process.argv.slice(2)])
