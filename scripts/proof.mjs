import { ensureDocuments, ensureInstalled, ensurePages, ensureProgram, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
ensureProgram()
ensureDocuments()
handOver(['test/running/run.ts', '--proof', ...process.argv.slice(2)])
