import { ensureInstalled, ensurePages, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
handOver(['test/run.ts', ...process.argv.slice(2)])
