import { ensureInstalled, ensurePages, ensureProgram, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
ensureProgram()
handOver(['test/running/mutations.ts', ...process.argv.slice(2)])
