import { ensureInstalled, handOver } from './ensure.mjs'

ensureInstalled()
handOver(['scripts/documents/site.ts', ...process.argv.slice(2)])
