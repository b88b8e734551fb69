// A program that others could write: it lists what the generated types refuse, and runs the rest against the
// service.
import createClient from 'openapi-fetch'
import type { paths } from './api.d.ts'

const [, , baseUrl = '', email = '', password = ''] = process.argv
const client = createClient<paths>({ baseUrl })
const tool = createClient<paths>({
  baseUrl,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  bodySerializer: (body: object | undefined) => new URLSearchParams({ ...body }),
})

const { data: signedUp, error: refusal } = await client.POST('/api/auth/sign-up/email', {
  body: { email, password, name: email },
})
if (signedUp === undefined) throw new Error(refusal.code)
client.use({
  onRequest({ request }) {
    request.headers.set('authorization', `Bearer ${signedUp.token}`)
    return request
  },
})

const session = await client.GET('/api/auth/get-session')
const sent = await client.POST('/api/submit_feedback', {
  params: { header: { 'Idempotency-Key': 'once' } },
  body: { type: 'idea', content: 'A window seat' },
})
const listed = await client.POST('/api/list_notifications', { body: { read: false, page_size: 5 } })
const empty = await client.POST('/api/submit_feedback', { body: { type: 'idea', content: '' } })
const verified = await client.GET('/api/verify', { params: { query: { scope: 'account:profile:read' } } })
const device = await tool.POST('/api/oauth/device_authorization', {
  body: { client_id: 'cli-client', scope: 'account:profile:read' },
})
const stranger = await tool.POST('/api/oauth/token', {
  body: { client_id: 'somebody', grant_type: 'refresh_token' },
})

/** Never called: each line is a mistake that the types must refuse. */
export function mistakes() {
  return [
    // @ts-expect-error: content is required
    client.POST('/api/submit_feedback', { body: { type: 'idea' } }),
    // @ts-expect-error: a page is a number
    client.POST('/api/list_notifications', { body: { page: 'first' } }),
    // @ts-expect-error: the client has to say what it exchanges
    tool.POST('/api/oauth/token', { body: { client_id: 'somebody' } }),
    // @ts-expect-error: there is no such route
    client.POST('/api/list_everything', { body: {} }),
    // @ts-expect-error: a route is either read or posted to
    client.GET('/api/list_notifications'),
    // @ts-expect-error: without a session there is no user
    session.data.user,
    // @ts-expect-error: a code is one of those that are listed
    empty.error?.code === 'SOMETHING_ELSE',
  ]
}

process.stdout.write(
  JSON.stringify({
    user: session.data?.user.email,
    token: signedUp.token?.slice(0, 4),
    feedback: typeof sent.data?.id,
    notifications: listed.data?.items.map(({ title, read }) => ({ title, read })),
    total: listed.data?.total,
    refused: [empty.response.status, empty.error?.code, empty.error?.issues?.[0]?.path],
    role: verified.response.headers.get('x-user-role'),
    userCode: device.data?.user_code,
    stranger: stranger.error?.error,
  }),
)
