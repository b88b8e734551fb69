import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../ensure.mjs'
import { readDocuments } from './library.ts'

mkdirSync(join(root, 'dist'), { recursive: true })
writeFileSync(join(root, 'dist/documents.json'), JSON.stringify(readDocuments()))
