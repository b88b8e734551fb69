import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { refusal } from '../../service/answers.ts'
import { CALLBACK } from '../../service/applications.ts'
import { it as base, begin as beginFor, decide } from '../../service/shop.ts'

const OTHER = 'https://shop.example/other'

interface Begun {
  readonly request_id: string
  readonly redirect_to?: string
  readonly issues?: readonly { readonly path: string }[]
}

interface Fixtures {
  readonly begin: () => Promise<Begun>
  readonly update: (fields: object) => Promise<unknown>
  /** Anything read before the next decision is out of date by then. */
  readonly updateBeforeNextDecision: (fields: object) => void
}

const it = base.extend<Fixtures>({
  begin: async ({ ann, shop }, use) => use(async () => (await beginFor(ann, shop)).body),
  update: async ({ administrator, shop: { id } }, use) =>
    use((fields) => administrator.post('/api/admin/update_application', { id, ...fields })),
  updateBeforeNextDecision: async ({ service, mock, update }, use) => {
    const { meta } = service.platform
    const decideNow = meta.decide.bind(meta)
    await use((fields) => {
      const afterRemoval: typeof decideNow = async (first, work) => {
        await update(fields)
        return decideNow(first, work)
      }
      mock.method(meta, 'decide', afterRemoval, { times: 1 })
    })
  },
})

const SENT = [
  ['code', true],
  ['refusal', false],
] as const

describe('a redirect URI that is removed while the user decides', () => {
  it.for(SENT)('is sent no %s, until it is registered again', async ([, approve], { ann, begin, update }) => {
    const { request_id } = await begin()

    await update({ redirect_uris: [OTHER] })
    const shown = await ann.post('/api/oauth/get_authorization', { request_id })
    const refused = await decide(ann, request_id, approve)
    await update({ redirect_uris: [CALLBACK] })
    const decided = await decide(ann, request_id, approve)

    assert.deepEqual([shown.status, ...refusal(refused)], [404, 404, 'NOT_FOUND'])
    assert.equal(refused.body.redirect_to, undefined)
    const redirect = new URL(decided.body.redirect_to)
    assert.equal(redirect.origin + redirect.pathname, CALLBACK)
    assert.equal(redirect.searchParams.has('code'), approve)
  })

  for (const [what, approve] of SENT)
    it(`checklist 88: at the moment of the click is sent no ${what}`, async ({
      ann,
      begin,
      update,
      updateBeforeNextDecision,
    }) => {
      const { request_id } = await begin()
      updateBeforeNextDecision({ redirect_uris: [OTHER] })

      const refused = await decide(ann, request_id, approve)
      await update({ redirect_uris: [CALLBACK] })
      const decided = await decide(ann, request_id, approve)

      assert.deepEqual([...refusal(refused), decided.status], [404, 'NOT_FOUND', 200])
    })

  it('is sent no code when consent is skipped; the application is refused', async ({
    ann,
    begin,
    updateBeforeNextDecision,
  }) => {
    await decide(ann, (await begin()).request_id)
    updateBeforeNextDecision({ redirect_uris: [OTHER] })

    const { request_id, redirect_to, issues } = await begin()

    assert.deepEqual([request_id, redirect_to, issues?.[0]?.path], [undefined, undefined, 'redirect_uri'])
  })

  it('does not help an application that loses the right to skip consent at that moment', async ({
    begin,
    update,
    updateBeforeNextDecision,
  }) => {
    await update({ skip_consent: true })
    updateBeforeNextDecision({ skip_consent: false })

    const begun = await begin()

    assert.deepEqual([typeof begun.request_id, begun.redirect_to], ['string', undefined])
  })

  it('leaves no consent behind', async ({ service, ann, begin, update }) => {
    const { request_id } = await begin()

    await update({ redirect_uris: [OTHER] })
    await decide(ann, request_id)

    const consents = await service.platform.meta.primary.selectFrom('consent').selectAll().execute()
    assert.deepEqual(consents, [])
  })
})
