import { ensureInstalled, ensurePages, ensureProgram, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
ensureProgram()
const [first, ...others] = process.argv.slice(2)
const program = first === 'beside' ? ['bench/beside.ts', ...others] : ['bench/run.ts', ...process.argv.slice(2)]
// The same options as the program has: some measures serve in this process.
handOver(['--max-semi-space-size=16', ...program])
