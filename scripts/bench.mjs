import { ensureInstalled, handOver } from './ensure.mjs'

ensureInstalled()
handOver(['bench/run.ts', ...process.argv.slice(2)])
