import { ensureDocuments, ensureInstalled, ensurePages, ensureProgram, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
ensureProgram()
ensureDocuments()
handOver(['scripts/release/release.ts', ...process.argv.slice(2)])
