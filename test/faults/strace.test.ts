import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, onTestFinished } from 'vitest'
import { canTrace, interfere } from './support/strace.ts'

const STORE = 'meta.sqlite'

/** For each line that it reads it starts a thread, and then says what came of a write to its store. */
const program = `
  const { Worker } = require('node:worker_threads')
  process.stdin.on('data', () => new Worker('', { eval: true }).once('exit', () => {
    try {
      require('node:fs').writeFileSync('${STORE}', 'b')
      console.log('written')
    } catch ({ code }) {
      console.log(code)
    }
  }))
  console.log('ready')`

async function said({ stdout }: ChildProcess): Promise<string> {
  const [line] = await once(stdout ?? assert.fail(), 'data')
  return String(line).trim()
}

it.skipIf(!canTrace)(
  'the system calls of a process fail until the test lets them succeed, also if the process starts threads (needs strace)',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-strace-'))
    writeFileSync(join(dataDir, STORE), 'a')
    const child = spawn(process.execPath, ['-e', program], {
      cwd: dataDir,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => {
      child.kill('SIGKILL')
      rmSync(dataDir, { recursive: true })
    })
    const write = () => {
      child.stdin?.write('\n')
      return said(child)
    }
    assert.equal(await said(child), 'ready')

    const readOnly = await interfere(child, { dataDir }, ['meta'], 'write:error=EROFS')
    const refused = [await write(), await write()]
    await readOnly.detach()

    assert.deepEqual([...refused, await write()], ['EROFS', 'EROFS', 'written'])
  },
)
