/** Exactly one row. Each part is JSON with its own version; `revision` grows and `token` is new with every save. */
export interface SettingsTable {
  id: 'global'
  revision: number
  token: string
  /** `Store.history` at the last save. */
  history: string
  authentication: string
  authentication_version: number
  email: string
  email_version: number
  credits: string
  credits_version: number
  ai: string
  ai_version: number
  brand: string
  brand_version: number
  assistants: string
  assistants_version: number
  updated_at: number
}
