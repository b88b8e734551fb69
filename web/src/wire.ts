interface Page {
  readonly page?: number
  readonly page_size?: number
}

interface List<Item> {
  readonly items: readonly Item[]
  readonly total: number
}

export interface Notification {
  readonly id: string
  readonly type: string
  readonly title: string
  readonly content: string
  readonly read: boolean
  readonly created_at: number
}

export interface Grant {
  readonly id: string
  readonly client_name: string
  readonly target_origin: string
  readonly scopes: readonly string[]
  readonly status: 'active' | 'revoked' | 'expired'
  readonly created_at: number
  readonly last_used_at: number | null
  readonly revoked_at: number | null
}

export interface AuthorizationRequest {
  readonly client_id: string
  readonly client_name: string
  readonly target_origin: string
  readonly scopes: readonly { readonly scope: string; readonly description: string }[]
  readonly user_code: string | null
  readonly ip: string | null
  readonly user_agent: string | null
  readonly created_at: number
  readonly expires_in: number
}

export interface ClientConfig {
  readonly app_name: string
  readonly registration_enabled: boolean
  readonly email_verification_required: boolean
  readonly forgot_password_shown: boolean
  readonly cooldown_seconds: number
  readonly providers: readonly { readonly id: string; readonly name: string; readonly preset: string }[]
  readonly challenge_site_key: string | null
  readonly beta_gate_enabled: boolean
}

/** Operations that the server is still to declare. */
export interface Expected {
  '/api/submit_feedback': { input: { type: string; content: string }; output: { id: string } }
  '/api/list_notifications': { input: Page & { read?: boolean }; output: List<Notification> }
  '/api/read_notification': { input: { id: string }; output: object }
  '/api/read_all_notifications': { input: object; output: object }
  '/api/count_unread_notifications': { input: object; output: { count: number } }
  '/api/export_account': { input: object; output: object }
  '/api/get_credit_summary': { input: object; output: { balance: number } }
  '/api/bind_beta_code': { input: { beta_code: string }; output: object }
  '/api/list_grants': { input: object; output: List<Grant> }
  '/api/revoke_grant': { input: { id: string }; output: object }
  '/api/oauth/begin_authorization': {
    input: Record<string, string>
    output: { request_id: string } | { redirect_to: string }
  }
  '/api/oauth/get_authorization': { input: { request_id: string }; output: AuthorizationRequest }
  '/api/oauth/decide_authorization': {
    input: { request_id: string; approve: boolean }
    output: { redirect_to?: string }
  }
}
