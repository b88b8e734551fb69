import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { connected } from '../../test/processes/connected.ts'
import { startPeer } from '../../test/processes/peer-server.ts'
import { openTerminal } from '../../test/processes/terminal/terminal.ts'

const path = '/api/list_notifications'

describe('the body of a request', () => {
  it('is built of typed and text fields, nested and repeated', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const file = join(terminal.folder, 'text.txt')
    await writeFile(file, 'from a file\n')

    await terminal.run(
      [
        'request',
        'prod',
        'POST',
        path,
        '-f',
        'id=42',
        '-F',
        'page=42',
        '-F',
        'read=false',
        '-F',
        'target=null',
        '-F',
        'rate=1.5',
        '-F',
        `text=@${file}`,
        '-F',
        'piped=@-',
        '-f',
        'list[]=a',
        '-F',
        'list[]=2',
        '-f',
        'a[b][c]=d',
        '-f',
        '__proto__=x',
        '-f',
        'empty=',
        '-f',
        'eq=a=b',
      ],
      { stdin: 'from a pipe' },
    )

    assert.deepEqual(
      peer.heard.at(-1)?.body,
      '{"id":"42","page":42,"read":false,"target":null,"rate":1.5,"text":"from a file\\n","piped":"from a pipe",' +
        '"list":["a",2],"a":{"b":{"c":"d"}},"__proto__":"x","empty":"","eq":"a=b"}',
    )
  })

  it('puts the fields of a GET into the query', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)

    await terminal.run(['request', 'prod', 'GET', '/api/x?a=1', '-f', 'b=c d', '-F', 'n=2'])

    assert.equal(peer.heard.at(-1)?.path, '/api/x?a=1&b=c+d&n=2')
  })

  it('takes the body from a file or from standard input', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const file = join(terminal.folder, 'body.json')
    await writeFile(file, '{"from":"file"}')

    await terminal.run(['request', 'prod', 'POST', path, '--input', file])
    assert.equal(peer.heard.at(-1)?.body, '{"from":"file"}')
    await terminal.run(['request', 'prod', 'POST', path, '--input', '-'], { stdin: '{"from":"pipe"}' })
    assert.equal(peer.heard.at(-1)?.body, '{"from":"pipe"}')
    await terminal.run(['request', 'prod', 'POST', path])
    assert.equal(peer.heard.at(-1)?.body, '{}')
    assert.equal((await terminal.run(['request', 'prod', 'POST', path, '--input', `${file}.none`])).code, 2)
  })

  it('takes the body or a field from a pipe', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const bodyPipe = join(terminal.folder, 'body')
    const fieldPipe = join(terminal.folder, 'field')
    execFileSync('mkfifo', [bodyPipe, fieldPipe])

    const asBody = terminal.run(['request', 'prod', 'POST', path, '--input', bodyPipe])
    await writeFile(bodyPipe, '{"from":"pipe"}')
    assert.equal((await asBody).code, 0)
    assert.equal(peer.heard.at(-1)?.body, '{"from":"pipe"}')
    const asField = terminal.run(['request', 'prod', 'POST', path, '-F', `text=@${fieldPipe}`])
    await writeFile(fieldPipe, 'piped')
    assert.equal((await asField).code, 0)
    assert.equal(peer.heard.at(-1)?.body, '{"text":"piped"}')
  })

  it('says that a folder is not a file', async () => {
    await using terminal = await openTerminal()
    for (const flags of [
      ['--input', terminal.folder],
      ['-F', `text=@${terminal.folder}`],
    ]) {
      const { code, err } = await terminal.run(['request', 'prod', 'POST', path, ...flags])

      assert.deepEqual(
        { code, err },
        { code: 2, err: `gatehouse: cannot read ${terminal.folder}: it is a folder\n` },
      )
    }
  })
})
