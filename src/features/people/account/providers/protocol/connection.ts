import * as oauth from 'oauth4webapi'
import type { Platform } from '../../../../../platform/platform.ts'
import { Refusal } from '../../../../../rules/refusal.ts'
import { HOUR_MILLISECONDS } from '../../../../../rules/time.ts'
import type { OpenIdPreset, Preset } from '../../../../ground/provider-presets/preset.ts'
import { callbackUrl, issuerOf, presetOf, type SocialProvider } from '../../../../ground/provider-presets/presets.ts'
import type { Settings } from '../../../../ground/settings/model.ts'
import { closedSecrets, openSetting } from '../../../../ground/settings/secrets.ts'
import { readConfiguration } from './configuration.ts'
import { providerFetch, providerLimitMilliseconds } from './provider-fetch.ts'

/** Everything needed to talk to one provider for one step of a sign-in. */
export interface Connection {
  readonly preset: Preset
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly authentication: oauth.ClientAuth
  readonly redirectUri: string
  readonly request: RequestOptions
}

type RequestOptions = ReturnType<typeof requestOptions>

export async function connect(platform: Platform, settings: Settings, provider: SocialProvider): Promise<Connection> {
  const preset = presetOf(platform.config, provider)
  if (!preset || !isAvailable(platform.config, settings, provider)) throw disabled()
  const { client_id, client_secret } = settings.authentication[provider]
  if (closedSecrets(platform, settings).includes(`${provider}_client_secret`)) throw closed()
  const secret = openSetting(platform, `${provider}_client_secret`, client_secret) ?? ''
  const request = requestOptions(preset)
  const server = preset.kind === 'plain' ? preset.server : await discovered(platform, preset, request)
  return {
    preset,
    server,
    client: { client_id, [oauth.clockSkew]: Math.round((platform.now() - Date.now()) / 1000) },
    authentication: authenticationAt(server, preset, secret),
    redirectUri: callbackUrl(platform.config, provider),
    request,
  }
}

/** The overview shows the administrator the cause. */
function closed(): Refusal {
  return new Refusal('PROVIDER_MISCONFIGURED', 'The client secret was sealed under another key.')
}

export function refuseDisabled({ config }: Platform, settings: Settings, provider: SocialProvider): void {
  if (!isAvailable(config, settings, provider)) throw disabled()
}

/** The provider identified the user to the client that the exchange began with, which must still be in use. */
export function refuseReplaced(began: Settings, current: Settings, provider: SocialProvider): void {
  const [former, now] = [began.authentication[provider], current.authentication[provider]]
  if (former.client_id === now.client_id && former.client_secret === now.client_secret) return
  throw new Refusal('PROVIDER_ERROR', 'The client ID or secret was replaced during the sign-in.')
}

/** Enabled and fully configured. */
export function isAvailable(config: Platform['config'], settings: Settings, provider: SocialProvider): boolean {
  const { enabled, client_id, client_secret } = settings.authentication[provider]
  return enabled && client_id !== '' && client_secret !== '' && presetOf(config, provider) !== undefined
}

const DISCOVERY_LIFETIME_MILLISECONDS = HOUR_MILLISECONDS

/** The document is fetched once an hour; a failure is not remembered. */
function discovered(
  platform: Platform,
  { issuer, tenantIssuer }: OpenIdPreset,
  request: RequestOptions,
): Promise<oauth.AuthorizationServer> {
  const hour = Math.floor(platform.now() / DISCOVERY_LIFETIME_MILLISECONDS)
  return platform.versioned.read(`discovery ${issuer}`, hour, async () => {
    try {
      const response = await oauth.discoveryRequest(new URL(issuer), request)
      const server = await oauth.processDiscoveryResponse(new URL(tenantIssuer ?? issuer), response)
      return readConfiguration(server)
    } catch (error) {
      if (error instanceof Refusal) throw error
      throw new Refusal('PROVIDER_UNAVAILABLE', "The provider's configuration could not be read.", {
        cause: error,
      })
    }
  })
}

function requestOptions(preset: Preset) {
  return {
    signal: AbortSignal.timeout(providerLimitMilliseconds),
    // The operator can name a provider without TLS, on the same machine or in tests.
    [oauth.allowInsecureRequests]: issuerOf(preset).startsWith('http:'),
    [oauth.customFetch]: providerFetch,
  }
}

/** Sends the credentials in the form, which all presets accept, unless the server accepts only the header. */
function authenticationAt(server: oauth.AuthorizationServer, { kind }: Preset, secret: string): oauth.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const inForm = kind === 'plain' || methods.includes('client_secret_post')
  return inForm ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret)
}

function disabled(): Refusal {
  return new Refusal('PROVIDER_DISABLED', 'This sign-in method is not available.')
}
