import type { Meta } from '../../../database/store.ts'

export function deleteRefusalsOf(meta: Meta, applicationId: string) {
  return meta.deleteFrom('application_refusal').where('application_id', '=', applicationId)
}
