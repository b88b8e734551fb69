import { keepPreviousData } from '@tanstack/react-query'
import { instantsOf, type RangeValue } from '../../date-range.ts'
import { type Filtered, orders, userOrders } from '../../routing/filters.ts'
import { allPages, type OnePage } from '../../server/all-pages.ts'
import { call, type Input, type Output } from '../../server/api.ts'

export const consoleKeys = {
  overview: ['console', 'overview'],
  feedback: ['console', 'feedback'],
  notifications: ['console', 'notifications'],
  users: ['console', 'users'],
  codes: ['console', 'beta-codes'],
  applications: ['console', 'applications'],
  productScopes: ['console', 'product-scopes'],
  shards: ['console', 'shards'],
  audit: ['console', 'audit'],
  webhooks: ['console', 'webhooks'],
  staff: ['console', 'staff'],
  organizations: ['console', 'organizations'],
} as const

export const filterNames = {
  feedback: ['status', 'type', 'search', 'user_id'],
  notifications: ['archived'],
  users: ['search', 'status', 'factor', 'signed_in', 'joined', 'shard'],
  organizations: ['search', 'status'],
  codes: ['search', 'used'],
  applications: [],
  deliveries: ['status'],
  audit: ['search', 'action', 'actor_id', 'subject_id', 'user_id', 'ip', 'when'],
} as const

/** Drops what is not set. The compiler cannot follow it through the entries. */
const present = <Facts extends object>(facts: Facts) =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Facts]?: Exclude<Facts[Name], undefined>
  }

export type FiltersOf<List extends keyof typeof filterNames> = Filtered<(typeof filterNames)[List][number]>

export const overviewQuery = {
  queryKey: consoleKeys.overview,
  queryFn: () => call('/api/admin/get_overview', {}),
}

/** Read again with the figures, after whatever the stream says. */
export const latestQuery = {
  queryKey: [...consoleKeys.overview, 'latest'],
  queryFn: () => call('/api/admin/list_latest', {}),
}

type Overview = Output<'/api/admin/get_overview'>

/** Used by pages that say which stores do not respond: they stay open during an outage, and ask whether it is over. */
export const watchedOverviewQuery = {
  ...overviewQuery,
  refetchInterval: ({ state: { data } }: { readonly state: { readonly data: Overview | undefined } }) =>
    data?.stores.some(({ state }) => state !== 'up') ? 30_000 : false,
}

/** The administrator's latest connections. */
export const connectionsQuery = {
  queryKey: ['grants', 'latest'],
  queryFn: () => call('/api/list_grants', { page_size: 100 }),
}

export const figuresQuery = (days: number) => ({
  queryKey: ['console', 'figures', days],
  queryFn: () =>
    call('/api/admin/get_figures', {
      days,
      // Lists behind a bar have the same days.
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
})

/** Lists that are shown whole. */
async function whole<Item>(
  read: (part: { readonly page: number; readonly page_size: number }) => Promise<OnePage<Item>>,
) {
  const items = await allPages<Item>((page) => read({ page, page_size: 100 }))
  return { items, total: items.length }
}

export const shardsQuery = {
  queryKey: consoleKeys.shards,
  async queryFn(): Promise<Shards> {
    const first = await call('/api/admin/list_shards', { page_size: 100 })
    const isWhole = first.items.length === first.total
    if (isWhole) return first
    const { items, total } = await whole((part) => call('/api/admin/list_shards', part))
    return { ...first, items: [...items], total }
  },
  /** While users are being moved. */
  refetchInterval: ({ state: { data } }: { readonly state: { readonly data: Shards | undefined } }) =>
    data?.items.some(({ leaving, arriving }) => leaving + arriving > 0) ? 3_000 : (false as const),
}

type Shards = Output<'/api/admin/list_shards'>

export const webhooksQuery = {
  queryKey: [...consoleKeys.webhooks, 'list'],
  queryFn: () => whole((part) => call('/api/admin/list_webhooks', part)),
}

type Webhook = Output<'/api/admin/list_webhooks'>['items'][number]

/** A webhook that the administrator has switched off is not failing: nothing is sent to it. */
export const isFailing = ({ enabled, failing_since, switched_off_at }: Webhook) =>
  (enabled ? failing_since : switched_off_at) !== null

export const feedbackStatuses = ['new', 'in_progress', 'done'] as const

/** An unknown status is ignored. */
function feedbackFilterOf({ values }: FiltersOf<'feedback'>) {
  const { status: requested, ...others } = values
  const status = feedbackStatuses.find((known) => known === requested)
  return present({ ...others, status })
}

export function feedbackQuery(view: FiltersOf<'feedback'>) {
  const filter = feedbackFilterOf(view)
  return listQuery(consoleKeys.feedback, filter, view, (part) =>
    call('/api/admin/list_feedbacks', { ...filter, ...part }),
  )
}

export const repliesQuery = {
  queryKey: ['console', 'replies'],
  queryFn: () => call('/api/admin/list_replies', {}),
}

/** The page that shows it follows new feedback, and repeats `productPagesQuery`. */
export const latestFeedbackQuery = {
  queryKey: [...consoleKeys.feedback, 'latest'],
  queryFn: () => call('/api/admin/list_feedbacks', { page_size: 1 }),
}

export const productPagesQuery = {
  queryKey: ['console', 'product-pages'],
  queryFn: () => call('/api/admin/list_product_pages', {}),
  refetchInterval: 3_000,
}

/** The number of new messages. */
export const newFeedbackQuery = {
  queryKey: [...consoleKeys.feedback, 'new'],
  queryFn: () => call('/api/admin/list_feedbacks', { status: 'new', page_size: 1 }),
}

export function publishedQuery(view: FiltersOf<'notifications'>) {
  const filter = { archived: view.values.archived === 'yes' }
  return listQuery(consoleKeys.notifications, filter, view, (part) =>
    call('/api/admin/list_notifications', { ...filter, ...part }),
  )
}

export const userStatuses = ['active', 'unverified', 'suspended'] as const
export const userFactors = ['none', 'app', 'passkey'] as const

/** An unknown status or factor is ignored. */
function userFilterOf({ values }: FiltersOf<'users'>) {
  const { search, signed_in, joined, shard: shard_id } = values
  const status = userStatuses.find((known) => known === values.status)
  const factor = userFactors.find((known) => known === values.factor)
  const { start: last_sign_in_start, end: last_sign_in_end } = instantsOf(signed_in)
  return {
    ...present({ search, status, factor, shard_id, last_sign_in_start, last_sign_in_end }),
    ...(signed_in === 'never' && { never_signed_in: true }),
    ...createdIn(joined),
  }
}

export function createdIn(range: RangeValue) {
  const { start: created_at_start, end: created_at_end } = instantsOf(range)
  return present({ created_at_start, created_at_end })
}

export type SearchAmong = NonNullable<Input<'/api/admin/list_users'>['search_among']>

/** The page shows the users that are found first; a file has all. */
export function usersQuery(view: FiltersOf<'users'>, search_among: SearchAmong = 'first') {
  const filter = userFilterOf(view)
  const among = filter.search === undefined ? {} : { search_among }
  const read = (part: Slice<(typeof userOrders)[number]>) => call('/api/admin/list_users', { ...filter, ...part })
  const listing = listQueryIn(userOrders, consoleKeys.users, { ...filter, ...among }, view, (part) =>
    read({ ...part, ...among }),
  )
  return { ...listing, read }
}

export const organizationStatuses = ['active', 'suspended', 'ownerless'] as const

/** An unknown status is ignored. The newest always come first. */
export function organizationsQuery(view: FiltersOf<'organizations'>) {
  const status = organizationStatuses.find((known) => known === view.values.status)
  const filter = present({ search: view.values.search, status })
  return listQuery(consoleKeys.organizations, filter, view, ({ page, page_size }) =>
    call('/api/admin/list_organizations', { ...filter, page, page_size }),
  )
}

export const organizationQuery = (id: string) => ({
  queryKey: [...consoleKeys.organizations, 'one', id],
  queryFn: () => call('/api/admin/get_organization', { id }),
})

export const codeUses = ['yes', 'no'] as const

export function codesQuery(view: FiltersOf<'codes'>) {
  const { search } = view.values
  const used = codeUses.find((known) => known === view.values.used)
  const filter = { ...(search && { search }), ...(used && { used: used === 'yes' }) }
  return listQuery(consoleKeys.codes, filter, view, (part) =>
    call('/api/admin/list_beta_codes', { ...filter, ...part }),
  )
}

export function applicationsQuery(view: FiltersOf<'applications'>) {
  return listQuery(consoleKeys.applications, {}, view, (part) => call('/api/admin/list_applications', part))
}

export type Application = Output<'/api/admin/get_application'>

export const applicationQuery = (id: string) => ({
  queryKey: [...consoleKeys.applications, 'one', id],
  queryFn: () => call('/api/admin/get_application', { id }),
})

export const refusalsQuery = (id: string) => ({
  queryKey: [...consoleKeys.applications, 'refusals', id],
  queryFn: () => call('/api/admin/list_application_refusals', { id }),
})

/** The back ends that follow what ends, of every application. */
export const verifiersQuery = {
  queryKey: [...consoleKeys.applications, 'verifiers'],
  queryFn: () => call('/api/admin/list_verifiers', {}),
  refetchInterval: 5_000,
}

export const queriesOfApplication = (id: string) => [
  ...[applicationQuery(id), refusalsQuery(id), productScopesQuery],
  verifiersQuery,
]

export const deliveryStates = ['pending', 'delivered', 'failed'] as const

/** An unknown status is ignored. */
function deliveryFilterOf({ values }: FiltersOf<'deliveries'>) {
  const status = deliveryStates.find((known) => known === values.status)
  return present({ status })
}

export function deliveriesQuery(webhook_id: string, view: FiltersOf<'deliveries'>) {
  const filter = { webhook_id, ...deliveryFilterOf(view) }
  return listQuery([...consoleKeys.webhooks, 'deliveries'], filter, view, (part) =>
    call('/api/admin/list_webhook_deliveries', { ...filter, ...part }),
  )
}

export const waitingDeliveriesQuery = (webhook_id: string) => ({
  queryKey: [...consoleKeys.webhooks, 'waiting', webhook_id],
  queryFn: () => call('/api/admin/list_webhook_deliveries', { webhook_id, status: 'pending', page_size: 1 }),
})

/** Enough of them to tell whether one can be sent again. */
export const failedDeliveriesQuery = (webhook_id: string) => ({
  queryKey: [...consoleKeys.webhooks, 'failed', webhook_id],
  queryFn: () => call('/api/admin/list_webhook_deliveries', { webhook_id, status: 'failed', page_size: 20 }),
})

export const productScopesQuery = {
  queryKey: consoleKeys.productScopes,
  queryFn: () => whole((part) => call('/api/admin/list_product_scopes', part)),
}

/** The menu shows them and has no button to retry, so a failed request is repeated. */
export const staffQuery = { queryKey: consoleKeys.staff, queryFn: () => call('/api/admin/list_staff', {}) }

export const viewsQuery = {
  queryKey: ['console', 'views'],
  queryFn: () => call('/api/admin/list_views', {}),
  refetchInterval: ({ state: { error } }: { readonly state: { readonly error: Error | null } }) =>
    error !== null && 30_000,
}

/** A view keeps the filters of the address; a service is asked for what they mean now. */
export function audienceOfView({ filters }: SavedView) {
  const values = Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]))
  return userFilterOf({ values, page: 1, size: 20, order: '' })
}

export const reachQuery = (input: Input<'/api/admin/count_audience'>) => ({
  queryKey: [...consoleKeys.users, 'reach', input],
  queryFn: () => call('/api/admin/count_audience', input),
  placeholderData: keepPreviousData,
})

type SavedView = Output<'/api/admin/list_views'>['items'][number]

export const pathOfView = ({ list, filters }: SavedView): string =>
  `/console/${list}?${new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, String(value)]))}`

export const productDataQuery = (of: 'user' | 'organization', id: string) => ({
  queryKey: ['console', 'product-data', of, id],
  queryFn: () => call(`/api/admin/get_${of}_data` as const, { id }),
})

export const hookAnswersQuery = (hook: Hook) => ({
  queryKey: ['console', 'hook-answers', hook],
  queryFn: () => call('/api/admin/list_hook_answers', { hook }),
})

export const hooks = ['before_sign_up', 'before_sign_in', 'before_token'] as const
export type Hook = (typeof hooks)[number]

export const userQuery = (id: string) => ({
  queryKey: ['console', 'user', id],
  queryFn: () => call('/api/admin/get_user', { id }),
})

const parts = ['authentication', 'email', 'credits', 'ai', 'brand', 'assistants', 'hooks', 'organizations'] as const
export type Part = (typeof parts)[number]
export type DocumentOf<P extends Part> = Output<`/api/admin/get_${P}_config`>
export type UpdateOf<P extends Part> = Input<`/api/admin/update_${P}_config`>

export const partQuery = <P extends Part>(part: P) => ({
  queryKey: ['config', part],
  queryFn: (): Promise<DocumentOf<P>> => call(`/api/admin/get_${part}_config` as const, {}),
})

/** The parts that the tab of the settings at this address shows. The providers have a tab of their own. */
export function partsAt(pathname: string): readonly Part[] {
  const tab = pathname.split('/')[3] || 'authentication'
  return parts.filter((part) => part === (tab === 'providers' ? 'authentication' : tab))
}

interface Slice<Order> {
  readonly page: number
  readonly page_size: number
  readonly order: Order
}

type Orders<Order> = readonly [Order, ...Order[]]

export function listQuery<Data>(
  key: readonly string[],
  filter: object,
  view: Filtered<string>,
  read: (part: Slice<(typeof orders)[number]>) => Promise<Data>,
) {
  return listQueryIn(orders, key, filter, view, read)
}

/** The previous rows stay until the next ones arrive. The list can also be read to its end. */
function listQueryIn<Data, Order extends string>(
  known: Orders<Order>,
  key: readonly string[],
  filter: object,
  { page, size, order: requested }: Filtered<string>,
  read: (part: Slice<Order>) => Promise<Data>,
) {
  const order = known.find((one) => one === requested) ?? known[0]
  return {
    queryKey: [...key, filter, page, size, order],
    queryFn: () => read({ page, page_size: size, order }),
    placeholderData: keepPreviousData,
    read,
    order,
    known,
  }
}
