import type { OpenBody, OpenResponse } from '../../../http/answers/open-response.ts'
import type { Caller } from '../../../rules/caller.ts'
import type { EventType } from '../../../rules/event-types.ts'
import type { Scope } from '../../../rules/scopes.ts'
import { holds, isStaff } from '../../../rules/staff.ts'
import type { Event } from '../../ground/events/listing.ts'

const BEAT = ':\n\n'
/** A page that reads nothing for this long is disconnected; it reconnects and resumes. */
const MOST_WAITING_BYTES = 64 * 1024

const NAMES: ReadonlyMap<string, string> = new Map([
  ['feedback.created', 'feedback'],
  ['notification.published', 'notification'],
  ['notification.archived', 'notification_archived'],
  ['user.data_updated', 'data'],
])

/** After these events no session acts in the organisation. */
const CLOSED: ReadonlySet<EventType> = new Set<EventType>(['organization.suspended', 'organization.deleted'])

/** Changes to an organisation that the pages of those who act in it show. */
export const OF_ITS_ORGANIZATION: ReadonlySet<EventType> = new Set<EventType>([
  'organization.updated',
  'organization.restored',
  ...CLOSED,
])

/** Changes to a user's memberships. */
export const OF_MEMBERSHIP: ReadonlySet<EventType> = new Set<EventType>([
  'member.added',
  'member.updated',
  'member.removed',
])

/** The page gets these events with their data; after any other it reads what has changed. */
const HAVE_DATA: ReadonlySet<string> = new Set(['notification.published', 'notification.archived'])

/** With any of these a tool reads what has changed; which organisation is active stands in the session. */
const READ_WITH: ReadonlyMap<string, readonly Scope[]> = new Map([
  ['data', ['account:profile:read']],
  ['organization', ['account:organizations:read', 'account:profile:read']],
])

const ENDS: ReadonlySet<string> = new Set(['user.suspended', 'user.deleted'])

/** Changes to the console's lists of users and to the log. */
export const OF_PEOPLE: ReadonlySet<EventType> = new Set<EventType>([
  'user.created',
  'user.updated',
  'user.verified',
  'user.suspended',
  'user.restored',
  'user.deleted',
  'session.created',
])

/** A page of a user who is added, changed or removed connects again, with what its user holds then. */
export const STAFFING: ReadonlySet<EventType> = new Set<EventType>(['staff.added', 'staff.updated', 'staff.removed'])

const OF_ONE_CREDENTIAL: ReadonlyMap<string, Caller['credential']['kind']> = new Map([
  ['session.ended', 'session'],
  ['grant.revoked', 'grant'],
])

/** One open page of a user, as server-sent events. */
export class LiveConnection implements OpenBody {
  readonly userId: string
  /** The user is not the one who looks at it. */
  readonly isOfActing: boolean
  readonly #credential: Caller['credential']
  /** The organisation in which the user acts, and those that the user has joined since. */
  #organizationIds: Set<string | null>
  #user: Caller['user']
  /** A user who still has to redeem a beta code is only sent a sign-out. */
  #isGated = true
  #lastSent = 0
  /** New events, while missed ones are still being sent. */
  #held: Event[] | undefined = []
  /** Pending until the response is open. */
  #early = ''
  #response: OpenResponse | undefined
  #isClosed = false
  #closed: () => void = () => undefined

  constructor({ user, credential, organization, actor }: Caller) {
    this.isOfActing = actor !== undefined
    this.userId = user.id
    this.#organizationIds = new Set(organization && [organization.id])
    this.#user = user
    this.#credential = credential
  }

  /** True for the pages of the administrator and of staff. */
  get isOfAdministration(): boolean {
    return this.#credential.kind === 'session' && (this.#user.role === 'administrator' || isStaff(this.#user))
  }

  #canRead(...scopes: readonly Scope[]): boolean {
    return this.isOfAdministration && scopes.some((scope) => holds(this.#user, scope))
  }

  opened(response: OpenResponse): undefined {
    response.write(this.#early)
    this.#early = ''
    if (this.#isClosed) response.end()
    else this.#response = response
  }

  closed(): void {
    this.#isClosed = true
    this.#response = undefined
    this.#closed()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  onClose(closed: () => void): void {
    this.#closed = closed
  }

  /** Undefined for a session. */
  get tokenHash(): string | undefined {
    return this.#credential.kind === 'grant' ? this.#credential.tokenHash : undefined
  }

  beat(): void {
    this.#send(BEAT)
  }

  /** An event without an id: the browser resumes after the last event that had one. */
  write(name: string, data: object, id?: number): void {
    const line = id === undefined ? '' : `id: ${id}\n`
    this.#send(`${line}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  retryAfter(milliseconds: number): void {
    this.#send(`retry: ${milliseconds}\n\n`)
  }

  /** Feedback and what happens to users is for those who can read it; all else is for its user, or for everyone. */
  isFor(event: Event): boolean {
    if (event.type === 'feedback.created') return this.#canRead('admin:feedback:read')
    return this.#isOwn(event) || this.#seesPeople(event)
  }

  #seesPeople({ type }: Event): boolean {
    return OF_PEOPLE.has(type) && this.#canRead('admin:users:read', 'admin:audit:read')
  }

  #isOwn({ user_id }: Event): boolean {
    return user_id === null || user_id === this.userId
  }

  /**
   * Closes the connection after a change that can block the user: the page reconnects, and is refused if it is blocked.
   */
  deliver(event: Event): void {
    if (canBlock(event) || STAFFING.has(event.type) || this.#canEndToken(event)) this.close()
    else if (this.#held) this.#held.push(event)
    else this.sendOnce(event)
  }

  /**
   * A token without `offline_access` ends with its session, every token has only the scopes that its application has
   * now, and one that acts in an organisation is refused where that is suspended or gone.
   */
  #canEndToken({ type, data, organization_id }: Event): boolean {
    if (this.#credential.kind === 'session') return false
    if (CLOSED.has(type)) return this.#organizationIds.has(organization_id)
    if (type === 'settings.saved') return data.part === 'scopes'
    return type === 'session.ended' && data.id === this.#credential.sessionId
  }

  /** The caller is read after the connection began to receive events. */
  applyCaller({ user, isGated, organization }: Caller): void {
    this.#user = user
    this.#isGated = isGated
    this.#organizationIds = new Set(organization && [organization.id])
  }

  /** Events are sent as they happen from here on. */
  goOn(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const event of held) this.sendOnce(event)
  }

  /** Sends each event once, though it can reach a resuming page in two ways. */
  sendOnce(event: Event): void {
    const { type, data, position } = event
    if (position <= this.#lastSent || canBlock(event)) return
    this.#lastSent = position
    const name = NAMES.get(type)
    if (type === 'beta_code.bound') this.#isGated = false
    else if (name !== undefined) this.#writeUnlessGated(name, HAVE_DATA.has(type) ? data : {}, position)
    else if (this.#isEndedBy(event)) this.#signOut(position)
    else if (this.#followOrganizations(event)) this.#writeUnlessGated('organization', {}, position)
    else if (this.#seesPeople(event)) this.#writeUnlessGated('people', {}, position)
  }

  #isEndedBy({ type, user_id, data }: Event): boolean {
    const own = OF_ONE_CREDENTIAL.get(type)
    if (own === undefined) return ENDS.has(type) && user_id === this.userId
    return own === this.#credential.kind && data.id === this.#credential.id
  }

  /** Follows the user into and out of organisations. True if the page must read them again, or which is active. */
  #followOrganizations({ type, user_id, organization_id, data }: Event): boolean {
    if (OF_ITS_ORGANIZATION.has(type)) return this.#organizationIds.has(organization_id)
    const isOwn = OF_MEMBERSHIP.has(type)
      ? user_id === this.userId
      : type === 'session.updated' && data.id === this.#credential.id
    if (type === 'member.removed' && isOwn) this.#organizationIds.delete(organization_id)
    else if (isOwn && organization_id !== null) this.#organizationIds.add(organization_id)
    return isOwn
  }

  #writeUnlessGated(name: string, data: object, position: number): void {
    if (!this.#isGated && this.#canReadAbout(name)) this.write(name, data, position)
  }

  #canReadAbout(name: string): boolean {
    const { kind, scopes } = { scopes: [], ...this.#credential }
    return kind === 'session' || (READ_WITH.get(name)?.some((scope) => scopes.includes(scope)) ?? true)
  }

  #signOut(position: number): void {
    this.write('signed_out', {}, position)
    this.close()
  }

  close(): void {
    this.#response?.end()
    this.closed()
  }

  #send(text: string): void {
    if (this.#isClosed) return
    if (!this.#response) this.#early += text
    else this.#response.write(text)
    if ((this.#response?.waitingBytes ?? this.#early.length) < MOST_WAITING_BYTES) return
    this.#response?.cut()
    this.closed()
  }
}

/** A second factor was removed, or the settings that can require one or close the beta gate were saved. */
function canBlock({ type, data }: Event): boolean {
  return type === 'factor.removed' || (type === 'settings.saved' && data.part === 'authentication')
}
