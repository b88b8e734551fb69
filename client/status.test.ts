import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { startPeer } from '../test/processes/peer-server.ts'
import { it, SCOPE } from '../test/service/command-line.ts'

const OWNER = '/api/auth/get-session'

describe('status', () => {
  it('shows name, server, user, scopes and expiry, and never a token', async ({ peer, connected }) => {
    const { code, out, err } = await connected.run('status prod')

    assert.deepEqual([code, err], [0, ''])
    const shown = `prod\n  Server   ${peer.url}\n  User     Ann <ann@example.com>\n  Scopes   ${SCOPE}\n`
    assert.ok(out.startsWith(shown), out)
    assert.match(out, /Expires {2}20\d\d-.*, then renews by itself\n$/)
    assert.doesNotMatch(out, /access-|refresh-/)
    assert.equal(peer.heardAt(OWNER).length, 1)
  })

  it('lists all without a name, as JSON too, on two servers at once', async ({ peer, terminal }) => {
    await using other = await startPeer()
    await terminal.run(`connect one ${peer.url} ${SCOPE}`)
    await terminal.run(`connect two ${other.url} ${SCOPE}`)

    const all = JSON.parse((await terminal.run('status --json')).out)
    const one = await terminal.run('status --name one --json')

    const placed = all.map(({ name, server }: { name: string; server: string }) => `${name} ${server}`)
    assert.deepEqual([placed, JSON.parse(one.out)], [[`one ${peer.url}`, `two ${other.url}`], all[0]])
    const fields = ['name', 'server', 'user', 'scopes', 'access_expires_at', 'renews', 'connected_at']
    assert.deepEqual(Object.keys(all[0]), fields)
  })

  it('is an empty list without connections, and ends with 3 for an unknown name', async ({ terminal }) => {
    const all = await terminal.run('status --json')
    const unknown = await terminal.run('status prod')

    assert.deepEqual([all.code, all.out, unknown.code, unknown.out], [0, '[]\n', 3, ''])
    assert.match(unknown.err, /no connection named "prod"; run `gatehouse connect prod <server> <scopes>` first/)
  })

  it('--check asks, renews and shows a new name', async ({ peer, clock, connected }) => {
    clock.advance({ hours: 1 })
    peer.next(OWNER, { body: { session: {}, user: { id: 'u1', email: 'ann@example.com', name: 'Anna' } } })

    const { code, out } = await connected.run('status --check --json')

    const [{ accepted, user }] = JSON.parse(out)
    assert.deepEqual([code, accepted, user.name], [0, true, 'Anna'])
  })

  it('--check ends with 4 for a revoked grant and 1 for an unreachable server', async ({ peer, connected }) => {
    peer.next(OWNER, 'drop', 'drop')

    const away = await connected.run('status --check')
    const awayInJson = await connected.run('status prod --check --json')
    peer.revokeAll()
    const revoked = await connected.run('status --check --json')

    assert.deepEqual([away.code, awayInJson.code, revoked.code], [1, 1, 4])
    assert.match(away.out, /Checked {2}no response from/)
    assert.equal(JSON.parse(awayInJson.out).accepted, null)
    assert.equal(JSON.parse(revoked.out)[0].accepted, false)
  })

  it('shows other connections if one file is broken, and how to remove it', async ({ connected }) => {
    await writeFile(join(connected.folder, 'connections', 'broken.json'), '{"name":', { mode: 0o600 })

    const { code, out, err } = await connected.run('status')

    assert.equal(code, 1)
    assert.match(out, /^prod\n/m)
    assert.match(err, /gatehouse disconnect broken --local-only/)
    assert.equal((await connected.run('disconnect broken --local-only')).code, 0)
    assert.equal((await connected.run('status')).code, 0)
  })

  it('says in one line that the folder cannot be used', async ({ terminal }) => {
    for (const [folder, reason] of [
      ['/dev/null/nowhere', 'it is not a folder'],
      ['/proc/nowhere/at/all', 'E.*'],
    ] as const) {
      const { code, err } = await terminal.run('status', { env: { GATEHOUSE_CONFIG_DIR: folder } })
      const advice = 'set GATEHOUSE_CONFIG_DIR to a folder of yours'

      assert.equal(code, 1)
      assert.match(err, new RegExp(`^gatehouse: connections can't be kept in \\S+ \\(${reason}\\); ${advice}\n$`))
    }
  })

  it('passes on why the server refuses the token, and keeps the connection', async ({ peer, connected }) => {
    const body = { code: 'SECOND_FACTOR_REQUIRED', message: 'Add a second factor to your account first.' }
    peer.next(OWNER, { status: 403, body })

    const refused = await connected.run('status prod --check')
    const later = await connected.run('status prod --check')

    assert.deepEqual([refused.code, later.code], [1, 0])
    assert.match(refused.err, /refused: Add a second factor to your account first\./)
  })

  it('removes control characters from the server’s response', async ({ peer, terminal }) => {
    const user = { id: 'u1', email: 'ann@example.com', name: 'A\u001b[31mnn\u202e' }
    peer.next(OWNER, { body: { user } })

    const connected = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)
    const { out } = await terminal.run('status prod')

    assert.match(connected.err, /as A \[31mnn <ann@example.com>/)
    assert.match(out, /User {5}A \[31mnn <ann@example.com>/)
  })
})

describe('disconnect', () => {
  it('revokes at the server, then removes, and leaves the others alone', async ({ peer, connected }) => {
    await connected.run(`connect other ${peer.url} ${SCOPE}`)

    const { code, out } = await connected.run('disconnect prod --json')

    assert.deepEqual([code, JSON.parse(out)], [0, { name: 'prod', revoked: true }])
    assert.equal(new URLSearchParams(peer.heardAt('/api/oauth/revoke')[0]?.body).get('token'), 'refresh-1')
    assert.equal((await connected.run('status prod')).code, 3)
    assert.equal((await connected.run('status other --check')).code, 0)
  })

  it('keeps the connection if no server answers, unless --local-only', async ({ peer, connected }) => {
    peer.next('/api/oauth/revoke', 'drop', { status: 500, body: '' })

    const lost = await connected.run('disconnect prod')
    const broken = await connected.run('disconnect prod')
    const local = await connected.run('disconnect prod --local-only')

    assert.deepEqual([lost.code, broken.code, local.code], [1, 1, 0])
    assert.match(lost.err, /"prod" is kept. --local-only removes it/)
    assert.match(local.err, /nothing was revoked/)
    assert.equal((await connected.run('status prod')).code, 3)
  })

  it('does not revoke a token that was given with --token-stdin', async ({ peer, connected }) => {
    await connected.run(`connect given ${peer.url} --token-stdin`, { stdin: 'access-1' })

    assert.equal((await connected.run('disconnect given')).code, 0)
    assert.equal((await connected.run('status prod --check')).code, 0)
  })
})
