import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { Interruption } from '../../interleavings/engines/interrupted-engine.ts'
import { startInterruptible } from '../../interleavings/interruptible.ts'
import { openPatiently, whileHeld } from '../../postgres/held-user.ts'
import { basic, bearer, CALLBACK, codeFor, register, tokenRequest, tokensFor } from '../../service/applications.ts'
import { decideDevice, postForm } from '../../service/grants.ts'
import { type Answer, people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

const SCOPE = 'openid email offline_access'
const OF_ROBOT = ['admin:beta:read', 'admin:audit:read']
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'
const interruption = new Interruption()

const interruptible = () => startInterruptible(interruption)

/** `applications` registers two more, and what the administrator can do to them. */
async function world(start: () => Promise<Service>) {
  const service = await start()
  const { administrator, ann } = await people(service)
  const applications = async () => {
    const shop = await register(administrator, { scopes: SCOPE.split(' ') })
    const robot = await register(administrator, { kind: 'service', scopes: OF_ROBOT })
    const update = ({ id }: { readonly id: string }, fields: object) =>
      administrator.post('/api/admin/update_application', { id, ...fields })
    const rotate = async () => {
      for (const { id } of [shop, robot]) await administrator.post('/api/admin/rotate_application_secret', { id })
    }
    const reduce = async () => {
      await update(shop, { scopes: ['openid', 'offline_access'] })
      await update(robot, { scopes: OF_ROBOT.slice(0, 1) })
    }
    const removeAddress = () => update(shop, { redirect_uris: ['https://shop.example/other'] })
    const rename = () => update(shop, { name: 'Another' })
    return { ann, shop, robot, rotate, reduce, removeAddress, rename }
  }
  const tokens = () =>
    service.platform.meta.primary.selectFrom('access_token').select(['token_hash', 'scopes']).execute()
  const close = () => service[Symbol.asyncDispose]()
  return { service, applications, tokens, [Symbol.asyncDispose]: close }
}

type World = Awaited<ReturnType<typeof world>>
type Applications = Awaited<ReturnType<World['applications']>>
type Ask = () => Promise<Answer<{ readonly error?: string; readonly scope?: string }>>

/** Each prepared up to the request for tokens. */
const WAYS: Readonly<Record<string, (applications: Applications) => Promise<Ask>>> = {
  'a code': async ({ ann, shop }) => {
    const { code, verifier } = await codeFor(ann, shop, { scope: SCOPE })
    const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code, code_verifier: verifier }
    return () => tokenRequest(ann, shop, form)
  },
  'a device code': async ({ ann, shop }) => {
    const { body } = await postForm(ann, '/api/oauth/device_authorization', { scope: SCOPE }, basic(shop))
    await decideDevice(ann, body.user_code, true)
    return () => tokenRequest(ann, shop, { grant_type: DEVICE, device_code: body.device_code })
  },
  'a refresh token': async ({ ann, shop }) => {
    const { refresh_token } = await tokensFor(ann, shop, { scope: SCOPE })
    return () => tokenRequest(ann, shop, { grant_type: 'refresh_token', refresh_token })
  },
  'the secret of a new service': async ({ ann, robot }) => {
    return () => tokenRequest(ann, robot, { grant_type: 'client_credentials' })
  },
  'the secret of a service that has had a token': async ({ ann, robot }) => {
    const ask = () => tokenRequest(ann, robot, { grant_type: 'client_credentials' })
    await ask()
    return ask
  },
}

interface Ending {
  /** Works until the connection has ended. */
  readonly token: string
  readonly end: () => Promise<Answer<unknown>>
}

/** Each prepared up to the request that ends a connection. */
const ENDINGS: Readonly<
  Record<string, (given: Pick<Applications, 'ann' | 'shop'> & Pick<World, 'service'>) => Promise<Ending>>
> = {
  revoking: async ({ ann, shop }) => {
    const { access_token: token } = await tokensFor(ann, shop, { scope: SCOPE })
    return { token, end: () => postForm(ann, '/api/oauth/revoke', { token }, basic(shop)) }
  },
  'an old refresh token': async ({ ann, shop, service }) => {
    const { refresh_token } = await tokensFor(ann, shop, { scope: SCOPE })
    const refresh = () => tokenRequest(ann, shop, { grant_type: 'refresh_token', refresh_token })
    const { body } = await refresh()
    service.clock.advance({ minutes: 1 })
    return { token: body.access_token, end: refresh }
  },
  'a code that is used twice': async ({ ann, shop }) => {
    const { code, verifier } = await codeFor(ann, shop, { scope: SCOPE })
    const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code, code_verifier: verifier }
    const redeem = () => tokenRequest(ann, shop, form)
    const { body } = await redeem()
    return { token: body.access_token, end: redeem }
  },
}

interface Changed {
  readonly status: number
  readonly error: string | undefined
  /** The scopes of each token that came after the change. */
  readonly later: readonly string[]
}

/** The change is done before each statement of the request in turn. */
async function changedMeanwhile(way: string, change: 'rotate' | 'reduce' | 'removeAddress' | 'rename') {
  await using w = await world(interruptible)
  const results: Changed[] = []
  // The first request, which nothing interrupts, says how many statements there are.
  for (let statement = 0, statements = 1; statement <= statements; statement++) {
    const applications = await w.applications()
    const ask = (await WAYS[way]?.(applications)) ?? assert.fail(way)
    let known: Set<string> | undefined
    const meanwhile = async () => {
      await applications[change]()
      known = new Set((await w.tokens()).map(({ token_hash }) => token_hash))
    }
    const { status, body } = await interruption.run(statement, meanwhile, ask)
    if (statement === 0) {
      assert.equal(status, 200)
      statements = interruption.statements
      continue
    }
    // The first answer of the service also makes its signing key, so later ones need fewer statements.
    if (!known) break
    const later = (await w.tokens()).filter(({ token_hash }) => !known?.has(token_hash))
    results.push({ status, error: body.error, later: later.map(({ scopes }) => scopes) })
  }
  return results
}

/** The secret is replaced before each statement of the request in turn; then, and after it, the token is used. */
async function endedMeanwhile(way: string) {
  await using w = await world(interruptible)
  const results: { readonly atTheChange: number | undefined; readonly used: number }[] = []
  for (let statement = 0, statements = 1; statement <= statements; statement++) {
    const { ann, shop, rotate } = await w.applications()
    const { token, end } = (await ENDINGS[way]?.({ ann, shop, service: w.service })) ?? assert.fail(way)
    const use = async () => (await ann.get('/api/oauth/userinfo', bearer(token))).status
    let atTheChange: number | undefined
    const rotated = async () => {
      await rotate()
      atTheChange = await use()
    }
    await interruption.run(statement, rotated, end)
    if (statement === 0) statements = interruption.statements
    results.push({ atTheChange, used: await use() })
  }
  return results
}

describe('checklist 104: an application that is changed while it asks for tokens', {
  timeout: 300_000,
}, () => {
  for (const way of Object.keys(WAYS)) {
    it(`gets none for its former secret: with ${way}`, async () => {
      const results = await changedMeanwhile(way, 'rotate')

      assert.deepEqual(
        results.flatMap(({ later }) => later),
        [],
      )
      assert.equal(results[0]?.error, 'invalid_client')
    })

    it(`gets none with a scope that it has lost: with ${way}`, async () => {
      const results = await changedMeanwhile(way, 'reduce')

      const lost = /\b(email|admin:audit:read)\b/
      assert.deepEqual(
        results.flatMap(({ later }) => later).filter((scopes) => lost.test(scopes)),
        [],
      )
    })

    it(`gets them before the change or not at all: with ${way}`, async () => {
      await using w = await world(() => startService({ open: openPatiently }))
      const applications = await w.applications()
      const ask = (await WAYS[way]?.(applications)) ?? assert.fail(way)
      let atTheChange = 0
      const rotated = async () => {
        await applications.rotate()
        atTheChange = (await w.tokens()).length
      }

      await whileHeld<unknown>(w.service, { sql: 'lock table access_token in share mode' }, [ask, rotated])

      assert.equal((await w.tokens()).length, atTheChange)
    })
  }

  it('gets none for an address that was removed', async () => {
    const results = await changedMeanwhile('a code', 'removeAddress')

    assert.deepEqual(
      results.flatMap(({ later }) => later),
      [],
    )
  })

  it('gets them all the same if only its name was changed', async () => {
    const results = await changedMeanwhile('a refresh token', 'rename')

    for (const { status } of results) assert.equal(status, 200)
  })

  for (const way of Object.keys(ENDINGS))
    it(`ends no connection with its former secret: by ${way}`, async () => {
      const [uninterrupted, first, ...later] = await endedMeanwhile(way)

      assert.deepEqual(uninterrupted, { atTheChange: undefined, used: 401 })
      assert.deepEqual(first, { atTheChange: 200, used: 200 })
      for (const { atTheChange, used } of later) assert.equal(used, atTheChange)
    })
})
