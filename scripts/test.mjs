import { ensureInstalled, ensurePages, ensureProgram, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
ensureProgram()
handOver(['test/running/run.ts', ...process.argv.slice(2)])
