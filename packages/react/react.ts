import { createElement, type ReactElement, type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import {
  type Connection,
  connectTo,
  failureOf,
  type GatehouseFailure,
  type Organization,
  type State,
  type TokenSource,
  type User,
  type UserData,
} from './connection.ts'
import { Context, type Gatehouse, useConnection, useFollowed, useGatehouse } from './context.ts'

export type { GatehouseFailure, Organization, TokenSource, User, UserData } from './connection.ts'

export interface ProviderProps {
  /** The address of Gatehouse. */
  readonly server: string
  /** Needed by pages of another site; without it, the cookie is used. */
  readonly token?: TokenSource | undefined
  readonly children?: ReactNode
}

export function GatehouseProvider({ server, token, children }: ProviderProps): ReactElement {
  const source = useSource(token)
  const [joined, setJoined] = useState<Pick<Gatehouse, 'connection' | 'failure'>>({
    connection: undefined,
    failure: undefined,
  })
  useEffect(() => {
    let isCurrent = true
    const join = (connection?: Connection, failure?: GatehouseFailure) => {
      if (isCurrent) setJoined({ connection, failure })
    }
    connectTo(server, source).then(join, (error: unknown) => join(undefined, failureOf(error)))
    return () => {
      isCurrent = false
    }
  }, [server, source])
  const value = useMemo(() => ({ server, token: source, ...joined }), [server, source, joined])
  return createElement(Context.Provider, { value }, children)
}

/** A function written inline is a new one at each rendering, and counts as one source all the same. */
function useSource(token: TokenSource | undefined): TokenSource | undefined {
  const [latest] = useState(() => ({ token }))
  useEffect(() => {
    latest.token = token
  }, [latest, token])
  const ask = useCallback(() => (typeof latest.token === 'function' ? latest.token() : latest.token), [latest])
  return typeof token === 'function' ? ask : token
}

/** Each status has its type, so that a check of the status says what else there is. */
export type CurrentUser = UserActs &
  (
    | { readonly status: 'loading' | 'signed-out'; readonly user: undefined; readonly error: undefined }
    /** The user is undefined if the token does not show whose it is. */
    | { readonly status: 'signed-in'; readonly user: User | undefined; readonly error: undefined }
    | { readonly status: 'failed'; readonly user: undefined; readonly error: GatehouseFailure }
  )

interface UserActs {
  /** A component that uses it follows it: it is undefined at first, and is read again when it changes. */
  readonly data: UserData | undefined
  /** Leads to the sign-in page, and back to this one. */
  signIn(): void
  signOut(): Promise<void>
}

function standingOf(state: State, failure: GatehouseFailure | undefined) {
  const error = state.kind === 'failed' ? state.error : failure
  if (error) return { status: 'failed', user: undefined, error } as const
  if (state.kind === 'in') return { status: 'signed-in', user: state.user, error } as const
  return { status: state.kind === 'out' ? 'signed-out' : 'loading', user: undefined, error } as const
}

export function useUser(): CurrentUser {
  const { server, connection, failure, state } = useConnection()
  const { value: data } = useFollowed(connection, (joined) => joined.data)
  const [shown] = useState(() => ({ data: false }))
  useEffect(() => {
    if (shown.data) connection?.data.follow()
  })
  return {
    get data() {
      shown.data = true
      return data
    },
    ...standingOf(state, failure),
    signIn: () => {
      const back = encodeURIComponent(location.href)
      location.assign(`${new URL(server).origin}/sign-in?return_to=${back}`)
    },
    signOut: async () => connection?.signOut(),
  }
}

export type CurrentOrganization = OrganizationActs &
  (
    | { readonly status: 'failed'; readonly error: GatehouseFailure }
    /** While there is an error, what is shown can be out of date. */
    | { readonly status: 'loading' | 'signed-out' | 'signed-in'; readonly error: GatehouseFailure | undefined }
  )

interface OrganizationActs {
  /** The user acts in it. It is undefined if the user acts in none, and while `status` is not `signed-in`. */
  readonly organization: Organization | undefined
  /** All that the user is a member of. */
  readonly organizations: readonly Organization[]
  /** Switches the session; null leaves it without an organisation. A token always acts in the same one. */
  setActive(id: string | null): Promise<void>
}

/** The organisation that the user acts in, also when that changes in another window. */
export function useOrganization(): CurrentOrganization {
  const { connection, failure, state } = useConnection()
  const { value, error } = useFollowed(connection, ({ organizations }) => organizations)
  useEffect(() => connection?.organizations.follow(), [connection])
  const id = state.kind === 'in' ? state.organizationId : null
  const organization = value?.items.find((one) => one.id === id)
  const isKnown = state.kind !== 'in' || (id === null ? value : organization) !== undefined
  const standing = standingOf(state, failure ?? (isKnown ? undefined : error))
  return {
    ...(standing.status === 'failed'
      ? { status: standing.status, error: standing.error }
      : { status: isKnown ? standing.status : ('loading' as const), error }),
    organization,
    organizations: value?.items ?? [],
    setActive: async (next) => {
      if (!connection) throw notReady()
      await connection.switchOrganization(next)
    },
  }
}

export interface Notification {
  readonly id: string
  readonly type: string
  readonly title: string
  readonly content: string
  /** An https address, or a path of the product. */
  readonly link: string | null
  readonly level: 'info' | 'success' | 'warning'
  readonly read: boolean
  readonly created_at: number
}

interface List {
  readonly items: readonly Notification[]
  readonly total: number
}

export interface Notifications extends List {
  readonly unread: number
  readonly error: GatehouseFailure | undefined
  markRead(id: string): Promise<void>
  markAllRead(): Promise<void>
  refresh(): Promise<void>
}

interface Read extends List {
  /** The list is shown in this state only: each user of this page has a list of their own. */
  readonly state: State | undefined
  readonly error: GatehouseFailure | undefined
}

const NOTHING: Read = { items: [], total: 0, state: undefined, error: undefined }

/** The newest notifications, read again whenever the unread count changes. */
export function useNotifications({ pageSize = 20 }: { readonly pageSize?: number } = {}): Notifications {
  const { connection, failure, state, unread } = useConnection()
  const [read, setRead] = useState(NOTHING)
  const [loads] = useState(() => ({ begun: 0 }))
  const refresh = useCallback(async () => {
    loads.begun += 1
    const load = loads.begun
    const of = connection?.state
    if (!connection || of?.kind !== 'in') return
    const keep = (change: (last: Read) => Read) => {
      if (load === loads.begun) setRead((last) => change(last.state === of ? last : NOTHING))
    }
    await connection.call<List>('/api/list_notifications', { page_size: pageSize }).then(
      (list) => keep(() => ({ ...list, state: of, error: undefined })),
      (problem: unknown) => keep((last) => ({ ...last, state: of, error: failureOf(problem) })),
    )
  }, [connection, pageSize, loads])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another user or count means another list.
  useEffect(() => void refresh(), [refresh, state, unread])
  const act = async (path: string, sent: object) => {
    if (!connection) throw notReady()
    await connection.call(path, sent)
    await connection.recount()
    await refresh()
  }
  const { items, total, error } = read.state === state ? read : NOTHING
  return {
    ...{ items, total, unread },
    error: error ?? (state.kind === 'failed' ? state.error : failure),
    markRead: (id) => act('/api/read_notification', { id }),
    markAllRead: () => act('/api/read_all_notifications', {}),
    refresh,
  }
}

export interface Feedback {
  readonly type: string
  readonly content: string
  /** Sent with the page's address, which `page` replaces. */
  readonly context?: Readonly<Record<string, string>>
}

const LONGEST_PAGE = 1_200

/** A function that sends feedback and rejects with a `GatehouseFailure`. */
export function useSubmitFeedback(): (feedback: Feedback) => Promise<{ readonly id: string }> {
  const { connection } = useConnection()
  return useCallback(
    async ({ context, ...feedback }) => {
      if (!connection) throw notReady()
      const page = (location.origin + location.pathname + location.search).slice(0, LONGEST_PAGE)
      const sent = { ...feedback, context: { page, ...context } }
      return connection.call<{ id: string }>('/api/submit_feedback', sent)
    },
    [connection],
  )
}

export interface ElementProps {
  readonly lang?: string
  readonly theme?: 'auto' | 'light' | 'dark'
  readonly id?: string
  readonly className?: string
}

export interface UserButtonProps extends ElementProps {
  /** Whether the name is written beside the picture. */
  readonly showName?: boolean
  /** Those with `slot="links"` are shown in the menu. */
  readonly children?: ReactNode
}

export function UserButton({ showName = false, ...props }: UserButtonProps): ReactElement {
  return useElement('gatehouse-user', { ...props, ...(showName && { 'show-name': '' }) })
}

export function NotificationBell(props: ElementProps): ReactElement {
  return useElement('gatehouse-notifications', props)
}

export function FeedbackButton(props: ElementProps & { readonly version?: string }): ReactElement {
  return useElement('gatehouse-feedback', props)
}

export interface OrganizationSwitcherProps extends ElementProps {
  /** Leaves out the user’s personal account, where everybody acts in an organisation. */
  readonly hidePersonal?: boolean
}

export function OrganizationSwitcher({ hidePersonal = false, ...props }: OrganizationSwitcherProps): ReactElement {
  return useElement('gatehouse-organization', { ...props, ...(hidePersonal && { 'hide-personal': '' }) })
}

interface AnyProps extends ElementProps {
  readonly 'hide-personal'?: string
  readonly 'show-name'?: string
  readonly children?: ReactNode
}

function useElement(name: string, { className, children, ...attributes }: AnyProps): ReactElement {
  const { server, token } = useGatehouse()
  // React 18 would write it into an attribute.
  const ref = useCallback((element: Element | null) => void (element && Object.assign(element, { token })), [token])
  return createElement(name, { ref, server, class: className, ...attributes }, children)
}

const notReady = () => failureOf(new Error('Gatehouse is not loaded yet.'))
