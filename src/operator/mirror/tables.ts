/** The tables that a mirror makes in a product's schema. Later versions add columns at the end, and change none. */
export const MIRRORED = ['users', 'organizations', 'members'] as const
export type Mirrored = (typeof MIRRORED)[number]

type Type = 'text' | 'text[]' | 'boolean' | 'jsonb' | 'timestamp with time zone'

interface Table {
  readonly columns: Readonly<Record<string, Type>>
  /** Values that are unique in Gatehouse at any moment, and that a product may keep unique too. */
  readonly unique: readonly string[]
}

const TIME = 'timestamp with time zone'

export const TABLES: Readonly<Record<Mirrored, Table>> = {
  users: {
    columns: {
      ...{ id: 'text', email: 'text', email_verified: 'boolean', name: 'text', image: 'text', role: 'text' },
      ...{ suspended_at: TIME, created_at: TIME, updated_at: TIME, public: 'jsonb', deleted_at: TIME },
    },
    unique: ['email'],
  },
  organizations: {
    columns: {
      ...{ id: 'text', slug: 'text', name: 'text', logo: 'text' },
      ...{ suspended_at: TIME, created_at: TIME, updated_at: TIME, public: 'jsonb', deleted_at: TIME },
    },
    unique: ['slug'],
  },
  members: {
    columns: {
      ...{ id: 'text', organization_id: 'text', user_id: 'text', roles: 'text[]' },
      ...{ created_at: TIME, deleted_at: TIME },
    },
    unique: ['organization_id', 'user_id'],
  },
}

export const STATE = {
  cursor: 'text',
  current_at: TIME,
  /** The stage of a copy that is under way, and the last id that it has reached. */
  copying: 'text',
  copied_to: 'text',
  /** Whether organisations and members were copied: a connection can lack their scope. */
  has_organizations: 'boolean',
  /** Every column that the mirror has made, as `users.email`. */
  columns: 'text[]',
} as const

/** `users.email` and so on: what this version makes. */
export const COLUMNS: readonly string[] = MIRRORED.flatMap((table) =>
  Object.keys(TABLES[table].columns).map((column) => `${table}.${column}`),
)
