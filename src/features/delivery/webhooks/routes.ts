import { z } from 'zod'
import { Done } from '../../../http/requests/body.ts'
import { protectedRoute } from '../../../http/route.ts'
import { OneById } from '../../../rules/ids.ts'
import { listOf, Page } from '../../../rules/paging.ts'
import { listDeliveries, redeliver, testWebhook } from './deliveries/deliveries.ts'
import { CreateWebhook, Delivery, ListDeliveries, Redeliver, SecretShown, UpdateWebhook, Webhook } from './input.ts'
import { createWebhook, deleteWebhook, listWebhooks, rotateWebhookSecret, updateWebhook } from './webhooks.ts'

export const webhookRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/create_webhook',
    summary: 'Add an endpoint that events are sent to; its secret is shown once',
    scope: 'admin:events:write',
    needsFreshSession: setsKey,
    input: CreateWebhook,
    output: SecretShown,
    handle: (call, input) => createWebhook(call, input),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/update_webhook',
    summary: 'Change the address or the types of an endpoint, or switch it on or off',
    scope: 'admin:events:write',
    needsFreshSession: setsKey,
    input: UpdateWebhook,
    output: Webhook,
    handle: (call, input) => updateWebhook(call, input),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/delete_webhook',
    summary: 'Remove an endpoint and its deliveries',
    scope: 'admin:events:write',
    input: OneById,
    output: Done,
    handle: (call, { id }) => deleteWebhook(call, id),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_webhooks',
    summary: 'List the endpoints that events are sent to',
    scope: 'admin:events:read',
    input: Page,
    output: listOf(Webhook),
    handle: ({ platform }, page) => listWebhooks(platform, page),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/rotate_webhook_secret',
    summary: 'Rotate the secret; for a day the old one signs too',
    scope: 'admin:events:write',
    input: OneById,
    output: SecretShown,
    handle: (call, { id }) => rotateWebhookSecret(call, id),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/test_webhook',
    summary: 'Send a test to an endpoint now; returns its response',
    scope: 'admin:events:write',
    limit: 'test-deliveries',
    input: OneById,
    output: Delivery,
    handle: (call, { id }) => testWebhook(call, id),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_webhook_deliveries',
    summary: 'List the deliveries to an endpoint with its responses, newest first',
    scope: 'admin:events:read',
    input: ListDeliveries,
    output: listOf(Delivery),
    handle: ({ platform }, filter) => listDeliveries(platform, filter),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/redeliver',
    summary: "Send a delivery again, or all of an endpoint's deliveries that have failed since a moment",
    scope: 'admin:events:write',
    input: Redeliver,
    output: z.object({ count: z.int() }),
    handle: async (call, input) => ({ count: await redeliver(call, input) }),
  }),
] as const

/** A file of settings changes what has the key, so a program that could set one would get what the file gives. */
async function setsKey(_call: unknown, { key }: { readonly key?: string | undefined }): Promise<boolean> {
  return key !== undefined
}
