// The executable file starts this: its modules are assets, and their addresses are below `EMBEDDED`.
import { createRequire, registerHooks } from 'node:module'
import { getAsset } from 'node:sea'
import { isMainThread } from 'node:worker_threads'
import { EMBEDDED } from '../../src/config/own-files.ts'

const isEmbedded = (url: string) => url.startsWith(EMBEDDED)

registerHooks({
  resolve(specifier, context, next) {
    const base = context.parentURL ?? EMBEDDED
    const url = /^[./]/.test(specifier) ? new URL(specifier, base).href : specifier
    return isEmbedded(url) ? { url, format: 'module', shortCircuit: true } : next(specifier, context)
  },
  load(url, context, next) {
    if (!isEmbedded(url)) return next(url, context)
    return { source: getAsset(url.slice(EMBEDDED.length), 'utf8'), format: 'module', shortCircuit: true }
  },
})

createRequire(`${EMBEDDED}dist/`)(entry())

function entry(): string {
  const last = process.argv.at(-1) ?? ''
  // See `startThread`, which names the thread's code last.
  if (!isMainThread) return last
  const [, , forked = ''] = process.argv
  if (process.connected && isEmbedded(`file://${forked}`)) {
    // Matches every other process that is forked.
    process.argv.splice(1, 1)
    return forked
  }
  return './client.mjs'
}
