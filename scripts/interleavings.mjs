import { ensureInstalled, handOver } from './ensure.mjs'

ensureInstalled()
handOver(['test/interleavings/run.ts', ...process.argv.slice(2)])
