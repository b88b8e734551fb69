import { ensureDocuments, ensureInstalled, ensurePages, ensureProgram } from './ensure.mjs'

ensureInstalled()
ensurePages()
ensureProgram()
ensureDocuments()
