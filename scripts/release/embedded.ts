// The executable file starts this: its modules are assets, and their addresses are below `EMBEDDED`.
import { getAssetKeys, getRawAsset } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { EMBEDDED } from '../../src/config/own-files.ts'
import { Modules } from './modules.ts'

const FOLDER = fileURLToPath(`${EMBEDDED}dist`)
const names = new Set(getAssetKeys())

const modules = new Modules(FOLDER, (name) => ({
  // The build is ASCII. V8 keeps a long text made this way outside of its heap.
  wrapped: Buffer.from(getRawAsset(`modules/${name}`)).toString('latin1'),
  compiled: names.has(`compiled/${name}`) ? Buffer.from(getRawAsset(`compiled/${name}`)) : undefined,
}))

modules.load(entry())

function entry(): string {
  const last = process.argv.at(-1) ?? ''
  // See `startThread`, which names the thread's code last.
  if (!isMainThread) return moduleAt(fileURLToPath(last))
  const [, , forked = ''] = process.argv
  if (process.connected && forked.startsWith(FOLDER)) {
    // Matches every other process that is forked.
    process.argv.splice(1, 1)
    return moduleAt(forked)
  }
  return './client.cjs'
}

function moduleAt(path: string): string {
  return `.${path.slice(FOLDER.length)}`
}
