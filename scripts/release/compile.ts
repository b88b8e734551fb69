// `compile.ts FOLDER NAMES`: starts the wrapped modules in FOLDER as a server, and leaves beside each of NAMES what V8 has
// compiled of it by then. Functions that a start does not call are compiled when they are called.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8'
import { freePort } from '../../test/processes/free-port.ts'
import { root } from '../ensure.mjs'
import { Modules } from './modules.ts'

const options = cachedDataVersionTag()
const [folder = '', ...names] = process.argv.slice(2)
const data = mkdtempSync(join(tmpdir(), 'gatehouse-compile-'))
const port = String(await freePort())
Object.assign(process.env, { DATA_DIR: data, PORT: port, LOG_LEVEL: 'error' })
execFileSync(process.execPath, [join(root, 'dist/gatehouse.mjs'), 'prepare'], { stdio: 'pipe' })
process.argv.splice(2, Number.POSITIVE_INFINITY, 'serve')

const modules = new Modules(join(root, 'dist'), (name) => ({ wrapped: readFileSync(join(folder, name), 'latin1') }))
modules.load('./client.cjs')
while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 20))
// The server changes options of V8, which uses only what was compiled with the options that it has itself.
setFlagsFromString('--allocation-site-pretenuring')
setFlagsFromString('--no-expose-gc')
if (cachedDataVersionTag() !== options) throw new Error('the server changes another option of V8')
for (const name of names) {
  const compiled = modules.scripts.get(name)?.createCachedData()
  if (!compiled) throw new Error(`a start does not load ${name}`)
  writeFileSync(join(folder, `${name}.compiled`), compiled)
}
process.on('exit', () => rmSync(data, { recursive: true }))
process.kill(process.pid, 'SIGTERM')

async function isReady(): Promise<boolean> {
  if (process.exitCode !== undefined) throw new Error('the program did not start')
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
  await response?.arrayBuffer()
  return response?.ok === true
}
