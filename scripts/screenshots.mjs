import { ensureInstalled, ensurePages, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
handOver(['test/browser/pictures/screenshots.ts', ...process.argv.slice(2)])
