import type { Output } from '../../../server/api.ts'

export type Application = Output<'/api/admin/list_applications'>['items'][number]
