// `npm start` as somebody types it who has only npm and this clone: it starts, shows the password once, and stops.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const patienceMilliseconds = 300_000
const TWO_LINES = /^Administrator: \S+@\S+\nPassword: \S{20,}$/gm

const port = await freePort(5173).catch(() => freePort(0))
const origin = `http://localhost:${port}`

const first = await start()
assert.equal(first.shown.match(TWO_LINES)?.length, 1, `no administrator with a password in:\n${first.shown}`)
assert.equal((await fetch(`${origin}/healthz`)).status, 200)
assert.match(await (await fetch(origin)).text(), /<!doctype html>/i)
say('npm start: installs, builds, serves, and shows the password')

const late = npmStart({ DATA_DIR: join(tmpdir(), 'data-of-another') })
const [words, [code]] = await Promise.all([text(late.stderr), once(late, 'exit')])
// The log is JSON here, one line each.
const ours = words.split('\n').filter((line) => line !== '' && !/^(npm |\{)/.test(line))
assert.equal(ours.length, 1, words)
assert.ok(ours[0]?.startsWith(`gatehouse: port ${port} is in use by another program; stop it, or set`), words)
assert.notEqual(code, 0)
say('npm start: says in one line that the port is in use')

await stop(first.child)
const second = await start()
assert.doesNotMatch(second.shown, /password/i)
await stop(second.child)
say('npm start: stops when told to, and shows the password no second time')

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`)
}

async function start() {
  const child = npmStart()
  let shown = ''
  let talk = ''
  child.stdout.on('data', (data) => {
    shown += data
  })
  const ready = new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      talk += data
      if (talk.includes('is ready')) resolve(undefined)
    })
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${talk}`)))
    setTimeout(() => reject(new Error(`npm start is not ready:\n${talk}`)), patienceMilliseconds).unref()
  })
  await ready
  return { child, shown }
}

/** @param {Record<string, string>} env */
function npmStart(env = {}) {
  const options = { env: { ...process.env, PORT: String(port), ...env } }
  const child = spawn('npm', ['start'], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  // If a check fails, nothing keeps running.
  process.once('exit', () => child.kill('SIGTERM'))
  return child
}

/** @param {import('node:child_process').ChildProcess} child */
async function stop(child) {
  child.kill('SIGTERM')
  await once(child, 'exit')
  await freePort(port)
}

/** @param {number} wanted */
async function freePort(wanted) {
  const server = createServer().listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  assert(address !== null && typeof address === 'object')
  return address.port
}
