import { ensureInstalled, ensurePages, ensureProgram, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
ensureProgram()
// The same option as `bin/gatehouse`.
handOver(['--max-semi-space-size=16', 'dist/gatehouse.mjs', 'serve'])
