import type { Output } from '../../server/api.ts'

export type FeedbackRow = Output<'/api/admin/list_feedbacks'>['items'][number]
export type Published = Output<'/api/admin/list_notifications'>['items'][number]
export type UserRow = Output<'/api/admin/list_users'>['items'][number]
export type ShardRow = Output<'/api/admin/list_shards'>['items'][number]
export type DeliveryRow = Output<'/api/admin/list_webhook_deliveries'>['items'][number]
