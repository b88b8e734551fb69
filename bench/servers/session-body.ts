import { iso } from '../../src/rules/time.ts'

export type Row = Readonly<Record<string, unknown>>

/** What `get-session` returns, from a row that has the columns of a user and those of the session. */
export function sessionBody(row: Row) {
  return {
    session: {
      id: row.session_id,
      userId: row.id,
      token: row.session_id,
      expiresAt: time(row.expires_at),
      createdAt: time(row.session_created_at),
      updatedAt: time(row.refreshed_at),
      ipAddress: row.ip,
      userAgent: row.user_agent,
      activeOrganizationId: null,
      activeTeamId: null,
      impersonatedBy: null,
    },
    user: {
      id: row.id,
      name: row.name,
      email: row.email,
      emailVerified: row.email_verified === 1,
      image: row.image,
      affCode: row.aff_code,
      registrationUtmSource: row.registration_utm_source,
      role: row.role,
      createdAt: time(row.created_at),
      updatedAt: time(row.updated_at),
      twoFactorEnabled: row.factors !== '',
      passwordIsInitial: false,
    },
  }
}

function time(value: unknown): string {
  return iso(Number(value))
}
