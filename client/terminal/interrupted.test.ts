import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { lineWith } from '../../test/processes/line-with.ts'
import { startProgram } from '../../test/processes/program.ts'
import { it } from '../../test/service/command-line.ts'

const REQUEST = ['request', 'prod', 'POST', '/api/submit_feedback']
/** Exceeds what a pipe holds, so that it is written only once the program reads. */
const MORE_THAN_A_PIPE = 'a'.repeat(4 * 1024 * 1024)

describe('one Ctrl-C', () => {
  const waiting = {
    'for the token of a new connection': ['connect', 'prod', 'http://127.0.0.1:1', '--token-stdin'],
    'for the token of a request': [...REQUEST, '--token-stdin'],
    'for a body': [...REQUEST, '--input', '-'],
    'for a field': [...REQUEST, '-F', 'content=@-'],
  }
  for (const [what, argv] of Object.entries(waiting)) {
    it(`ends a command that waits ${what} from standard input`, async ({ terminal }) => {
      const program = startProgram(argv, { GATEHOUSE_CONFIG_DIR: terminal.folder }, 'pipe')
      program.stdin?.on('error', () => undefined)
      await new Promise((resolve) => program.stdin?.write(MORE_THAN_A_PIPE, resolve))

      assert.deepEqual(await interrupt(program), CANCELLED)
    })
  }

  for (const [what, flags] of Object.entries({
    body: ['--input', 'FILE'],
    field: ['-F', 'content=@FILE'],
  })) {
    it(`ends a command that waits for a ${what} from a named pipe`, async ({ terminal }) => {
      const pipe = join(terminal.folder, 'pipe')
      execFileSync('mkfifo', [pipe])
      const argv = [...REQUEST, ...flags.map((flag) => flag.replace('FILE', pipe))]
      const program = startProgram(argv, { GATEHOUSE_CONFIG_DIR: terminal.folder })
      // Returns once the program has opened the pipe to read.
      await using writer = await open(pipe, 'w')
      await writer.write(MORE_THAN_A_PIPE)

      assert.deepEqual(await interrupt(program), CANCELLED)
    })
  }

  it('ends a command whose filter does not end', async ({ connected }) => {
    const filter = 'if . == null then . else last(repeat(0)) end'
    const program = startProgram([...REQUEST, '--verbose', '--jq', filter], {
      GATEHOUSE_CONFIG_DIR: connected.folder,
    })
    assert.ok(program.stderr)
    await lineWith('< 200', program.stderr)

    const ended = await interrupt(program)

    assert.equal(ended.code, 130, ended.err)
    assert.match(ended.err, /gatehouse: cancelled\n$/)
  })
})

const CANCELLED = { code: 130, err: 'gatehouse: cancelled\n' }

async function interrupt(program: ChildProcess) {
  let err = ''
  program.stderr?.on('data', (chunk) => {
    err += chunk
  })
  program.kill('SIGINT')
  const [code] = await once(program, 'close')
  return { code, err }
}
