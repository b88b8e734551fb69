import type { Service } from './service.ts'

/** Exceeds what a search reads: users with the same grams in name and address, from the oldest to the newest. */
export async function veryMany({ platform: { meta } }: Service): Promise<void> {
  const rows = Array.from({ length: 10_050 }, (_, i) => ({
    ...{ id: `crowd-${i}`, name: '', folded_name: i === 7 ? 'perexa' : 'person', role: 'user' as const },
    ...{
      email: `person-${i}@example.com`,
      email_verified: 1 as const,
      aff_code: `${i}`,
      factors: '' as const,
    },
    ...{ created_at: i, updated_at: i, suspended_at: i % 500 === 7 ? 1 : null, last_sign_in_at: 10_050 - i },
  }))
  for (let from = 0; from < rows.length; from += 2_000)
    await meta
      .insertInto('user')
      .values(rows.slice(from, from + 2_000))
      .execute()
}
