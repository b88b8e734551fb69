import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { startPeer } from '../test/processes/peer-server.ts'
import { openTerminal } from '../test/processes/terminal/terminal.ts'
import { SettableClock } from '../test/service/fakes/settable-clock.ts'

const scope = 'account:profile:read'

describe('status', () => {
  it('shows name, server, user, scopes and expiry, and never a token', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    await terminal.run(['connect', 'prod', peer.url, scope])

    const { code, out, err } = await terminal.run(['status', 'prod'])

    assert.deepEqual([code, err], [0, ''])
    assert.match(
      out,
      new RegExp(`^prod\n  Server   ${peer.url}\n  User     Ann <ann@example.com>\n  Scopes   ${scope}\n`),
    )
    assert.match(out, /Expires {2}20\d\d-.*, then renews by itself\n$/)
    assert.doesNotMatch(out, /access-|refresh-/)
    assert.equal(peer.heardAt('/api/auth/get-session').length, 1)
  })

  it('lists all without a name, as JSON too, on two servers at once', async () => {
    await using peer = await startPeer()
    await using other = await startPeer()
    await using terminal = await openTerminal()
    await terminal.run(['connect', 'one', peer.url, scope])
    await terminal.run(['connect', 'two', other.url, scope])

    const all = await terminal.run(['status', '--json'])
    const one = await terminal.run(['status', '--name', 'one', '--json'])

    const listed = JSON.parse(all.out)
    assert.deepEqual(
      listed.map(({ name, server }: { name: string; server: string }) => [name, server]),
      [
        ['one', peer.url],
        ['two', other.url],
      ],
    )
    assert.deepEqual(JSON.parse(one.out), listed[0])
    assert.deepEqual(Object.keys(listed[0]), [
      'name',
      'server',
      'user',
      'scopes',
      'access_expires_at',
      'renews',
      'connected_at',
    ])
  })

  it('is an empty list without connections, and ends with 3 for an unknown name', async () => {
    await using terminal = await openTerminal()

    const all = await terminal.run(['status', '--json'])
    const unknown = await terminal.run(['status', 'prod'])

    assert.deepEqual([all.code, all.out], [0, '[]\n'])
    assert.deepEqual([unknown.code, unknown.out], [3, ''])
    assert.match(
      unknown.err,
      /no connection named "prod"; run `gatehouse connect prod <server> <scopes>` first/,
    )
  })

  it('--check asks the server, renews what has expired, and shows a change of name', async () => {
    await using peer = await startPeer()
    const clock = new SettableClock()
    await using terminal = await openTerminal(clock)
    await terminal.run(['connect', 'prod', peer.url, scope])
    clock.advance({ hours: 1 })
    const renamed = { id: 'u1', email: 'ann@example.com', name: 'Anna' }
    peer.next('/api/auth/get-session', { body: { session: {}, user: renamed } })

    const { code, out } = await terminal.run(['status', '--check', '--json'])

    assert.equal(code, 0)
    assert.deepEqual([JSON.parse(out)[0].accepted, JSON.parse(out)[0].user.name], [true, 'Anna'])
  })

  it('--check ends with 4 for a grant that was revoked and 1 for a server that is away', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    await terminal.run(['connect', 'prod', peer.url, scope])
    peer.next('/api/auth/get-session', 'drop')

    const away = await terminal.run(['status', '--check'])
    peer.next('/api/auth/get-session', 'drop')
    const awayInJson = await terminal.run(['status', 'prod', '--check', '--json'])
    peer.revokeAll()
    const revoked = await terminal.run(['status', '--check', '--json'])

    assert.equal(away.code, 1)
    assert.equal(JSON.parse(awayInJson.out).accepted, null)
    assert.match(away.out, /Checked {2}no response from/)
    assert.equal(revoked.code, 4)
    assert.equal(JSON.parse(revoked.out)[0].accepted, false)
  })

  it('shows the other connections if one file is broken, and says how to remove it', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    await terminal.run(['connect', 'prod', peer.url, scope])
    await writeFile(join(terminal.folder, 'connections', 'broken.json'), '{"name":', { mode: 0o600 })

    const { code, out, err } = await terminal.run(['status'])

    assert.equal(code, 1)
    assert.match(out, /^prod\n/m)
    assert.match(err, /gatehouse disconnect broken --local-only/)
    assert.equal((await terminal.run(['disconnect', 'broken', '--local-only'])).code, 0)
    assert.equal((await terminal.run(['status'])).code, 0)
  })

  it('says in one line that the folder cannot be used', async () => {
    await using terminal = await openTerminal()

    for (const [folder, reason] of [
      ['/dev/null/nowhere', /\(it is not a folder\)/],
      ['/proc/nowhere/at/all', /\(E.*\)/],
    ] as const) {
      const { code, err } = await terminal.run(['status'], { env: { GATEHOUSE_CONFIG_DIR: folder } })

      assert.equal(code, 1)
      assert.match(
        err,
        /^gatehouse: connections can't be kept in \S+ \(.*\); set GATEHOUSE_CONFIG_DIR to a folder of yours\n$/,
      )
      assert.match(err, reason)
    }
  })

  it('passes on why the server refuses the token, and keeps the connection', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    await terminal.run(['connect', 'prod', peer.url, scope])
    const body = { code: 'SECOND_FACTOR_REQUIRED', message: 'Add a second factor to your account first.' }
    peer.next('/api/auth/get-session', { status: 403, body })

    const refused = await terminal.run(['status', 'prod', '--check'])
    const later = await terminal.run(['status', 'prod', '--check'])

    assert.equal(refused.code, 1)
    assert.match(refused.err, /refused: Add a second factor to your account first\./)
    assert.equal(later.code, 0)
  })

  it('removes control characters from the server’s response', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    const user = { id: 'u1', email: 'ann@example.com', name: 'A\u001b[31mnn\u202e' }
    peer.next('/api/auth/get-session', { body: { user } })

    const connected = await terminal.run(['connect', 'prod', peer.url, scope])
    const { out } = await terminal.run(['status', 'prod'])

    assert.match(connected.err, /as A \[31mnn <ann@example.com>/)
    assert.match(out, /User {5}A \[31mnn <ann@example.com>/)
  })
})

describe('disconnect', () => {
  it('revokes at the server, then removes, and leaves the others alone', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    await terminal.run(['connect', 'prod', peer.url, scope])
    await terminal.run(['connect', 'other', peer.url, scope])

    const { code, out } = await terminal.run(['disconnect', 'prod', '--json'])

    assert.equal(code, 0)
    assert.deepEqual(JSON.parse(out), { name: 'prod', revoked: true })
    assert.equal(new URLSearchParams(peer.heardAt('/api/oauth/revoke')[0]?.body).get('token'), 'refresh-1')
    assert.equal((await terminal.run(['status', 'prod'])).code, 3)
    assert.equal((await terminal.run(['status', 'other', '--check'])).code, 0)
  })

  it('keeps the connection if the server cannot be reached, unless --local-only', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    await terminal.run(['connect', 'prod', peer.url, scope])
    peer.next('/api/oauth/revoke', 'drop', { status: 500, body: '' })

    const lost = await terminal.run(['disconnect', 'prod'])
    const broken = await terminal.run(['disconnect', 'prod'])
    const local = await terminal.run(['disconnect', 'prod', '--local-only'])

    assert.deepEqual([lost.code, broken.code, local.code], [1, 1, 0])
    assert.match(lost.err, /"prod" is kept. --local-only removes it/)
    assert.match(local.err, /nothing was revoked/)
    assert.equal((await terminal.run(['status', 'prod'])).code, 3)
  })

  it('exits with 3 for an unknown name', async () => {
    await using terminal = await openTerminal()

    assert.equal((await terminal.run(['disconnect', 'prod'])).code, 3)
    assert.equal((await terminal.run(['disconnect'])).code, 2)
  })

  it('does not revoke a token that was given with --token-stdin', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    await terminal.run(['connect', 'prod', peer.url, scope])
    await terminal.run(['connect', 'given', peer.url, '--token-stdin'], { stdin: 'access-1' })

    assert.equal((await terminal.run(['disconnect', 'given'])).code, 0)
    assert.equal((await terminal.run(['status', 'prod', '--check'])).code, 0)
  })
})
