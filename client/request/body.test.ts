import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { it } from '../../test/service/command-line.ts'

const path = '/api/list_notifications'
const POST = `request prod POST ${path}`

describe('the body of a request', () => {
  it('is built from typed and text fields, nested and repeated', async ({ peer, connected }) => {
    const file = join(connected.folder, 'text.txt')
    await writeFile(file, 'from a file\n')
    const typed = `-F page=42 -F read=false -F target=null -F rate=1.5 -F text=@${file} -F piped=@-`
    const nested = '-f list[]=a -F list[]=2 -f a[b][c]=d -f __proto__=x -f empty= -f eq=a=b'

    await connected.run(`${POST} -f id=42 ${typed} ${nested}`, { stdin: 'from a pipe' })

    assert.deepEqual(
      peer.heard.at(-1)?.body,
      '{"id":"42","page":42,"read":false,"target":null,"rate":1.5,"text":"from a file\\n","piped":"from a pipe",' +
        '"list":["a",2],"a":{"b":{"c":"d"}},"__proto__":"x","empty":"","eq":"a=b"}',
    )
  })

  it('puts the fields of a GET into the query', async ({ peer, connected }) => {
    await connected.run(['request', 'prod', 'GET', '/api/x?a=1', '-f', 'b=c d', '-F', 'n=2'])

    assert.equal(peer.heard.at(-1)?.path, '/api/x?a=1&b=c+d&n=2')
  })

  it('comes from a file, standard input or a pipe, and is {} without any', async ({ peer, connected }) => {
    const at = (name: string) => join(connected.folder, name)
    const sent = async (flags: string, situation = {}, meanwhile = async () => {}) => {
      const running = connected.run(`${POST} ${flags}`.trim(), situation)
      await meanwhile()
      return [(await running).code, peer.heard.at(-1)?.body]
    }
    await writeFile(at('file'), '{"from":"file"}')
    execFileSync('mkfifo', [at('body'), at('field')])

    assert.deepEqual(await sent(`--input ${at('file')}`), [0, '{"from":"file"}'])
    assert.deepEqual(await sent('--input -', { stdin: '{"from":"pipe"}' }), [0, '{"from":"pipe"}'])
    assert.deepEqual(await sent(''), [0, '{}'])
    const intoBody = () => writeFile(at('body'), '{"from":"named pipe"}')
    assert.deepEqual(await sent(`--input ${at('body')}`, {}, intoBody), [0, '{"from":"named pipe"}'])
    const intoField = () => writeFile(at('field'), 'piped')
    assert.deepEqual(await sent(`-F text=@${at('field')}`, {}, intoField), [0, '{"text":"piped"}'])
  })

  it('must be in UTF-8, because anything else would arrive changed', async ({ terminal }) => {
    const file = join(terminal.folder, 'latin-1')
    await writeFile(file, Buffer.from('Café', 'latin1'))

    assert.deepEqual(await terminal.run(`${POST} -F text=@${file}`), {
      code: 2,
      out: '',
      err: `gatehouse: ${file} is not in UTF-8; convert it first\n`,
    })
  })

  it('cannot be a folder, and the error says so', async ({ terminal }) => {
    for (const flags of [`--input ${terminal.folder}`, `-F text=@${terminal.folder}`])
      assert.deepEqual(await terminal.run(`${POST} ${flags}`), {
        code: 2,
        out: '',
        err: `gatehouse: cannot read ${terminal.folder}: it is a folder\n`,
      })
  })
})
