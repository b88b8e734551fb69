import { ensureInstalled, ensurePages, ensureProgram } from './ensure.mjs'

ensureInstalled()
ensurePages()
ensureProgram()
