import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe } from 'vitest'
import type { PeerServer } from '../../test/processes/peer-server.ts'
import type { Ended } from '../../test/processes/terminal/terminal.ts'
import { it, type Machine, SCOPE } from '../../test/service/command-line.ts'

describe('connect --loopback', () => {
  it('redeems a code with the PKCE verifier and the same redirect', async ({ peer, terminal }) => {
    const { page, ended } = await connectThrough(peer, terminal, async (page) => {
      const back = await arriveAt(page, { code: 'the-code', iss: peer.url })
      assert.equal(back.status, 200)
      assert.match(await back.text(), /You can close this page/)
    })

    assert.equal(ended.code, 0, ended.err)
    const { redirect_uri = '', code_challenge, state, ...asked } = Object.fromEntries(page.searchParams)
    assert.deepEqual(asked, {
      ...{ client_id: 'cli-client', response_type: 'code', code_challenge_method: 'S256' },
      scope: `api_access offline_access ${SCOPE}`,
    })
    assert.ok(state)
    assert.match(redirect_uri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    const redeemed = new URLSearchParams(peer.heardAt('/api/oauth/token')[0]?.body)
    assert.deepEqual([redeemed.get('code'), redeemed.get('redirect_uri')], ['the-code', redirect_uri])
    const verifier = redeemed.get('code_verifier') ?? ''
    assert.equal(createHash('sha256').update(verifier).digest('base64url'), code_challenge)
  })

  it('accepts only a call with its state, at its own path', async ({ peer, terminal }) => {
    const { ended } = await connectThrough(peer, terminal, async (page) => {
      const foreign = await arriveAt(page, { code: 'evil', iss: peer.url, state: 'guessed' })
      const elsewhere = await fetch(new URL('/', page.searchParams.get('redirect_uri') ?? ''))
      assert.deepEqual([foreign.status, elsewhere.status], [404, 404])
      await arriveAt(page, { code: 'the-code', iss: peer.url })
    })

    assert.equal(ended.code, 0, ended.err)
    assert.match(peer.heardAt('/api/oauth/token')[0]?.body ?? '', /the-code/)
  })

  it('refuses an answer that another server issued (RFC 9207)', async ({ peer, terminal }) => {
    const { ended } = await connectThrough(peer, terminal, (page) =>
      arriveAt(page, { code: 'the-code', iss: 'https://evil.example' }),
    )

    assert.deepEqual([ended.code, peer.heardAt('/api/oauth/token').length], [1, 0])
  })

  it('ends with 1 if the user denies, and shows that in the browser', async ({ peer, terminal }) => {
    const { ended } = await connectThrough(peer, terminal, async (page) => {
      const back = await arriveAt(page, { error: 'access_denied', iss: peer.url })
      assert.match(await back.text(), /Not approved/)
    })

    assert.equal(ended.code, 1)
    assert.match(ended.err, /refused: access_denied/)
  })

  it('exits cleanly on Ctrl-C and leaves no listener', async ({ peer, terminal }) => {
    let redirect = ''

    const { code } = await terminal.run(`connect prod ${peer.url} ${SCOPE} --loopback`, {
      onTalk: (said, interrupt) => {
        redirect = pageIn(said)?.searchParams.get('redirect_uri') ?? redirect
        if (said.includes('Ctrl-C')) interrupt()
      },
    })

    assert.equal(code, 130)
    await assert.rejects(fetch(redirect))
  })
})

async function connectThrough(
  peer: PeerServer,
  terminal: Machine,
  person: (page: URL) => Promise<unknown>,
): Promise<{ page: URL; ended: Ended }> {
  const shown = Promise.withResolvers<URL>()
  const ending = terminal.run(`connect prod ${peer.url} ${SCOPE} --loopback`, {
    onTalk: (said) => {
      const page = pageIn(said)
      if (page) shown.resolve(page)
    },
  })
  const page = await shown.promise
  await person(page)
  return { page, ended: await ending }
}

function arriveAt(page: URL, answer: Readonly<Record<string, string>>): Promise<Response> {
  const back = new URL(page.searchParams.get('redirect_uri') ?? '')
  back.search = new URLSearchParams({ state: page.searchParams.get('state') ?? '', ...answer }).toString()
  return fetch(back)
}

function pageIn(said: string): URL | null {
  return URL.parse(/Open (http\S+)\n/.exec(said)?.[1] ?? '')
}
