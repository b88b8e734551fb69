import { before } from 'node:test'
import { pathToFileURL } from 'node:url'

/** Test files in one process: all are loaded, in their order, before the first test begins. */
const loading = load(process.argv.slice(2))
before(() => loading)
await loading

async function load(files: readonly string[]): Promise<void> {
  for (const file of files) await import(pathToFileURL(file).href)
}
