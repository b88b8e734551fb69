import { ensureInstalled, ensurePages, ensureProgram, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
ensureProgram()
handOver(['scripts/release/release.ts', ...process.argv.slice(2)])
