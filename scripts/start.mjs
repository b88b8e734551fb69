import { ensureInstalled, ensurePages, ensureProgram, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
ensureProgram()
// As `bin/gatehouse` does.
handOver(['--max-semi-space-size=16', 'dist/gatehouse.mjs', 'serve'])
