import { ensureInstalled, ensurePages, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
handOver(['test/browser/support/screenshots.ts', ...process.argv.slice(2)])
