import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { enableProvider, signInVia, whoIs } from '../../../../test/providers/journey.ts'
import { startOpenIdProvider } from '../../../../test/providers/openid-provider.ts'
import { stranger } from '../../../../test/service/people.ts'
import { startService } from '../../../../test/service/service.ts'
import { discord } from './discord.ts'
import { namedPreset } from './presets.ts'

describe('presets', () => {
  for (const [text, name, place] of [
    ['google', 'Google', 'https://accounts.google.com'],
    ['github', 'GitHub', 'https://github.com/login/oauth/authorize'],
    ['gitlab', 'GitLab', 'https://gitlab.com'],
    ['microsoft', 'Microsoft', 'https://login.microsoftonline.com/common/v2.0'],
    ['discord', 'Discord', 'https://discord.com/oauth2/authorize'],
    ['oidc:https://id.example.com/staff', 'id.example.com', 'https://id.example.com/staff'],
    ['github:https://git.example.com', 'GitHub', 'https://git.example.com/login/oauth/authorize'],
    ['gitlab:https://git.example.com', 'GitLab', 'https://git.example.com'],
  ] as const) {
    it(`${text} is shown as ${name} and signs in at ${place}`, () => {
      const preset = namedPreset(text)

      assert.equal(preset.name, name)
      assert.equal(preset.kind === 'openid' ? preset.issuer : preset.server.authorization_endpoint, place)
    })
  }
})

describe('discord', () => {
  const user = { id: '80351110224678912', username: 'ann', email: 'ann@example.com', avatar: 'a_1269e74a' }

  it('vouches for an address only if it has verified it', async () => {
    const profileOf = (verified: boolean) => discord('https://discord.com').profile(async () => ({ ...user, verified }))

    assert.deepEqual(await profileOf(true), {
      id: user.id,
      verifiedEmail: 'ann@example.com',
      name: 'ann',
      handle: 'ann',
      image: 'https://cdn.discordapp.com/avatars/80351110224678912/a_1269e74a.png',
    })
    assert.equal((await profileOf(false)).verifiedEmail, undefined)
  })
})

describe('microsoft', () => {
  const tid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

  async function withMicrosoft(claims: Record<string, unknown>) {
    const provider = await startOpenIdProvider('microsoft')
    const service = await startService({ env: { PROVIDER_A: provider.preset } })
    await enableProvider(service, 'provider_a')
    provider.now = service.clock.now
    provider.person = { sub: 'ann-at-tenant', email: 'ann@example.com', name: 'Ann' }
    provider.spoil = { tid, iss: `${provider.url}/${tid}/v2.0`, ...claims }
    return {
      ann: stranger(service),
      async [Symbol.asyncDispose]() {
        await service[Symbol.asyncDispose]()
        await provider.stop()
      },
    }
  }

  it('a tenant is its own issuer, and an address from it counts as verified only with a verified domain', async () => {
    await using unverified = await withMicrosoft({})
    await using verified = await withMicrosoft({ xms_edov: true })

    await signInVia(unverified.ann, 'provider_a')
    await signInVia(verified.ann, 'provider_a')

    assert.match((await whoIs(unverified.ann)).email, /^provider_a-\w+@community\.local$/)
    assert.equal((await whoIs(verified.ann)).email, 'ann@example.com')
  })

  for (const [what, claims] of [
    ['that is not its issuer', { tid: '6f2504e0-4f89-41d3-9a0c-0305e82c3301' }],
    ['that is no tenant', { tid: '../evil' }],
    ['that is missing', { tid: undefined }],
  ] as const) {
    it(`a token with a tenant ${what} signs nobody in`, async () => {
      await using world = await withMicrosoft(claims)

      assert.equal(await signInVia(world.ann, 'provider_a'), '/sign-in?error=provider_error')
      assert.equal(await whoIs(world.ann), undefined)
    })
  }
})
