import type { ClientConfig } from '../../../../server/brand.ts'
import type { AuthorizationRequest } from '../../../access/consent-facts.tsx'

/** What the previewed pages are about. */
export const previewed = {
  request: {
    ...{ client_id: 'preview', client_name: 'Corner Shop', kind: 'application', needs_consent: true },
    ...{ client_domain: null, client_registered_itself: false, client_logo_url: null, needs_confirmation: false },
    ...{ client_home_url: 'https://shop.example', target_origin: 'https://shop.example', user_code: null },
    ...{ organization_id: null, organization_named: false, organizations: [] },
    redirect_uri: 'https://shop.example/signed-in',
    scopes: ['openid', 'profile', 'email'].map((scope) => ({ scope, description: '' })),
    ...{ ip: '203.0.113.7', user_agent: navigator.userAgent, created_at: Date.now(), expires_in: 600 },
  } satisfies AuthorizationRequest,
  config: (present: ClientConfig, app_name: string, logo_url: string | null): ClientConfig => ({
    ...{ ...present, app_name, registration_enabled: true, challenge_site_key: null },
    brand: { ...present.brand, logo_url, logo_dark_url: null },
  }),
}
