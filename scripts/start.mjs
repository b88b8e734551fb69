import { compileCache, ensureInstalled, ensurePages, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
handOver(['src/main.ts', 'serve'], compileCache)
