import { ensureInstalled, ensurePages, ensureProgram, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
ensureProgram()
handOver(['test/running/run.ts', '--proof', ...process.argv.slice(2)])
