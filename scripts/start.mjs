import { ensureDocuments, ensureInstalled, ensurePages, ensureProgram, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
ensureProgram()
ensureDocuments()
// The same option as `bin/gatehouse`.
handOver(['--max-semi-space-size=16', 'dist/gatehouse.mjs', 'serve'])
