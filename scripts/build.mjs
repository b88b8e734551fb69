import { ensureInstalled, ensurePages, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
handOver(['scripts/bundle.mjs'])
