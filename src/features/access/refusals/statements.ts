import type { Meta } from '../../../database/store.ts'

/** Deletes those of a deleted application. */
export function deleteRefusalsOf(meta: Meta, applicationId: string) {
  return meta.deleteFrom('application_refusal').where('application_id', '=', applicationId)
}
