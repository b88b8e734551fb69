import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { firstOutgoing } from '../../../test/processes/free-port.ts'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { serving } from './programs.ts'

describe('a program of a rehearsal', () => {
  it('serves at a port that no other gets from the kernel before it listens', async () => {
    const path = join(temporaryFolder(), 'program.mjs')
    writeFileSync(
      path,
      `import { createServer } from 'node:http'
       createServer((_, response) => response.end()).listen(Number(process.env.PORT), '127.0.0.1')`,
    )
    const program = { version: 'unknown', command: process.execPath, args: [path] }

    const ports = await Promise.all(
      Array.from({ length: 3 }, async () => {
        await using life = await serving(program, { environment: {} }, new AbortController().signal)
        return Number(new URL(life.url).port)
      }),
    )

    assert.deepEqual(
      ports.filter((port) => port >= firstOutgoing()),
      [],
    )
  })
})
