export type Part = 'authentication' | 'email' | 'credits' | 'ai' | 'brand' | 'assistants' | 'organizations' | 'hooks'

/** Each part as JSON, with its own version. */
export type PartColumns<Version = number> = Record<Part, string> & Record<`${Part}_version`, Version>

/** Exactly one row. `revision` grows and `token` is new with every save. */
export interface SettingsTable extends PartColumns {
  id: 'global'
  revision: number
  token: string
  /** `Store.history` at the last save. */
  history: string
  updated_at: number
}
