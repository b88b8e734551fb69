import type { Compilable } from 'kysely'
import type { Decision, Query, Rows } from '../../../database/decision.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Shard } from '../../../database/store.ts'
import type { Exchange } from '../../../http/exchange.ts'
import { preferredLanguages } from '../../../http/requests/languages.ts'
import type { Sender } from '../../../http/sender/sender.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type ActName, type CausesOf, causesOf, type Subject } from '../../../rules/acts.ts'
import type { Caller } from '../../../rules/caller.ts'
import type { Change } from '../../../rules/changes.ts'
import { isSynthetic } from '../../../rules/email.ts'
import type { EventType } from '../../../rules/event-types.ts'
import { newId } from '../../../rules/ids.ts'
import type { Refusal } from '../../../rules/refusal.ts'
import { refuseColleague } from '../../../rules/staff.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { lockedUser } from '../../people/users/statements.ts'
import { unknownUser } from '../../people/users/users.ts'
import { insertIntoOutbox, outboxRow } from '../events/outbox-statements.ts'
import { insertEvents, type NewRow, NOT_AUDITED } from '../events/statements.ts'
import { letter, type Notice } from '../letters/letters.ts'
import { ownersToken } from '../letters/owners-link.ts'

/** The actor and how they act. Without a sender, it is the operator on the host, or the service itself. */
export interface Doer extends Recorder {
  readonly platform: Platform
  readonly exchange?: Exchange
}

/** The actor as the audit entry shows them. */
export interface Recorder {
  readonly platform: Pick<Platform, 'now'>
  readonly sender?: Sender
  readonly caller?: {
    readonly user: Pick<Caller['user'], 'id' | 'name' | 'role' | 'staff_scopes'>
    readonly actor?: Caller['actor']
  }
}

interface About {
  /** The actor, if not the caller: a user who signs in or proves an address. */
  readonly by?: { readonly id: string }
  /** The organisation in which it happens, if any. */
  readonly organizationId?: string | undefined
  /** The target in the audit log. */
  readonly subject?: { readonly type: Subject; readonly id: string }
  /** Facts for people to read, never secrets. */
  readonly details?: Readonly<Record<string, unknown>>
  /** The event's data, if not the details. */
  readonly data?: Readonly<Record<string, unknown>>
  /** The letter's name for the tool, application, token or passkey. */
  readonly name?: Notice['name'] | undefined
  /** The change of the address that the letter can take back. */
  readonly changeId?: string | undefined
  /** The id of the entry, for a row that refers to it. */
  readonly id?: string
}

/** The account that the event is about, and the letter's reader. */
interface Owner {
  readonly id: string
  readonly email: string
}

type AboutOf<Name extends ActName> = About & LetterOf<Name> & EventOf<Name>

type LetterOf<Name extends ActName> =
  CausesOf<Name> extends { readonly letter: Change }
    ? { readonly user: Owner }
    : CausesOf<Name> extends { readonly letters: readonly (infer Letter extends Change)[] }
      ? { readonly user: Owner; readonly letter: Letter | undefined }
      : { readonly user?: Pick<Owner, 'id'> | undefined }

type EventOf<Name extends ActName> =
  CausesOf<Name> extends { readonly events: readonly (infer Event extends EventType)[] }
    ? { readonly event: Event | undefined }
    : unknown

/** The acts that write no letter. */
export type SilentAct = {
  [Name in ActName]: CausesOf<Name> extends { readonly letter: Change } | { readonly letters: readonly Change[] }
    ? never
    : Name
}[ActName]

/** Details of a sign-in, successful or not. */
export function programOf({ userAgent }: Sender): { readonly user_agent?: string } {
  return userAgent === '' ? {} : { user_agent: userAgent }
}

/** A decision returns this to refuse and to keep what it has written. */
export class Refused {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    this.refusal = refusal
  }
}

interface Caused {
  readonly rows: readonly NewRow[]
  readonly letter?: Compilable<unknown> | undefined
}

/** A decision together with its effects. */
export class Act<Recorded extends ActName = ActName> {
  readonly #decision: Decision
  readonly #caused: (name: Recorded, about: AnyAbout) => Caused
  readonly #insert: (rows: readonly NewRow[]) => Compilable<unknown>
  #rows: NewRow[] = []

  constructor(
    decision: Decision,
    caused: (name: Recorded, about: AnyAbout) => Caused,
    insert: (rows: readonly NewRow[]) => Compilable<unknown>,
  ) {
    this.#decision = decision
    this.#caused = caused
    this.#insert = insert
  }

  /** Sends any writes so far, then these queries, in order and in one round trip. */
  read<const Queries extends readonly Query[]>(queries: Queries): Promise<Rows<Queries>> {
    return this.#decision.read(queries)
  }

  first<Row>(query: Compilable<Row>): Promise<Row | undefined> {
    return this.#decision.first(query)
  }

  /** Sends the statements with the commit; if one fails, nothing is written. Undefined ones are left out. */
  write(...statements: readonly Query[]): void {
    this.#decision.write(...statements)
  }

  /** Writes the audit entry, the event and the letter that the catalogue has for this act. */
  record<Name extends Recorded>(name: Name, about: AboutOf<Name>): void {
    const { rows, letter } = this.#caused(name, about)
    if (rows.length > 0 && this.#rows.length === 0) this.write(this.#recorded())
    this.#rows.push(...rows)
    this.write(letter)
  }

  /** Makes one statement, at the place of the first row, for all rows that are recorded until it is sent. */
  #recorded(): Compilable<unknown> {
    return {
      compile: () => {
        const rows = this.#rows
        this.#rows = []
        return this.#insert(rows).compile()
      },
    }
  }

  /** A decision that returns this commits what is written so far and throws the refusal. */
  refuse(refusal: Refusal): Refused {
    return new Refused(refusal)
  }
}

/**
 * One decision about the global store, and its effects, in one commit. `first` locks the rows concerned and reads what
 * depends on them, in one round trip; writes go with the commit.
 */
export async function decide<const Queries extends readonly Query[], T>(
  doer: Doer,
  first: Queries,
  work: (act: Act, ...rows: Rows<Queries>) => Promise<T | Refused>,
): Promise<T> {
  const { meta } = doer.platform
  const caused = (name: ActName, about: AnyAbout) => ({
    rows: rowsOf(doer, name, about),
    letter: letterOf(doer, name, about),
  })
  const insert = (rows: readonly NewRow[]) => insertEvents(meta, ...rows)
  const outcome = await meta.decide(first, (decision, ...rows) => work(new Act(decision, caused, insert), ...rows))
  if (outcome instanceof Refused) throw outcome.refusal
  return outcome
}

/**
 * A decision about a user, whose row is locked first. Refuses if the user does not exist, and if staff would change a
 * colleague's account.
 */
export function decideAboutUser<const Queries extends readonly Query[], T>(
  doer: Doer,
  id: string,
  first: Queries,
  work: (act: Act, user: UserTable, ...rows: Rows<Queries>) => Promise<T | Refused>,
): Promise<T> {
  return decide(doer, [lockedUser(doer.platform.meta, id), ...first], async (act, [user], ...rows) => {
    if (!user) throw unknownUser()
    if (doer.caller) refuseColleague(doer.caller.user, user)
    return work(act, user, ...(rows as unknown as Rows<Queries>))
  })
}

export type ShardAct = Omit<Act<SilentAct>, 'refuse'>

/** A decision in a shard, whose outbox keeps the rows until the relay copies them. */
export function decideInShard<const Queries extends readonly Query[], T>(
  recorder: Recorder,
  shard: Shard,
  first: Queries,
  work: (act: ShardAct, ...rows: Rows<Queries>) => Promise<T>,
): Promise<T> {
  const caused = (name: SilentAct, about: AnyAbout) => ({ rows: rowsOf(recorder, name, about) })
  const insert = (rows: readonly NewRow[]) => insertIntoOutbox(shard, ...rows.map(outboxRow))
  return shard.decide(first, (decision, ...rows) => work(new Act(decision, caused, insert), ...rows))
}

/** Records an act whose changes, if any, need not be in one commit with the record. */
export async function recordAct<Name extends SilentAct>(
  recorder: Recorder & { readonly platform: Pick<Platform, 'meta' | 'now'> },
  name: Name,
  about: AboutOf<Name>,
): Promise<void> {
  const { meta } = recorder.platform
  await meta.batch([insertEvents(meta, rowOf(recorder, name, about))])
}

/** Everything an act can report; `AboutOf` says which parts each act must report. */
type AnyAbout = About & {
  readonly user?: (Pick<Owner, 'id'> & Partial<Owner>) | undefined
  readonly letter?: Change | undefined
  readonly event?: EventType | undefined
}

function rowsOf(recorder: Recorder, name: ActName, about: AnyAbout): readonly NewRow[] {
  const { words, event = about.event } = causesOf(name)
  return words === undefined && event === undefined ? [] : [rowOf(recorder, name, about)]
}

/** The audit entry and the event are one row. An act that is one batch inserts it itself. */
export function rowOf({ platform, sender, caller }: Recorder, name: ActName, about: AnyAbout): NewRow {
  const { by = caller?.user, user, organizationId = null, subject, details = {}, data = details, id = newId() } = about
  const { words, event = about.event } = causesOf(name)
  const actor = caller?.actor
  const concerned = subject ?? (actor ? { type: 'user' as const, id: caller.user.id } : undefined)
  const entry = {
    action: name,
    actor_id: actor?.id ?? by?.id ?? null,
    ip: sender?.address ?? null,
    details: JSON.stringify(actor ? { ...details, acting_as: caller.user.id } : details),
  }
  return {
    ...(words === undefined ? NOT_AUDITED : entry),
    id,
    created_at: platform.now(),
    subject_type: concerned?.type ?? null,
    subject_id: concerned?.id ?? null,
    type: event ?? null,
    organization_id: organizationId,
    user_id: event ? (user?.id ?? null) : null,
    data: event ? JSON.stringify(data) : null,
  }
}

/** Letters with a link that takes the account back. */
const TAKES_BACK: ReadonlySet<Change> = new Set(['unfamiliar sign-in', 'address change asked for'])

const LETTER_LIFETIME_MILLISECONDS = DAY_MILLISECONDS

/** A synthetic address has no mailbox. */
function letterOf(doer: Doer, name: ActName, { user, name: named, letter: chosen, changeId }: AnyAbout) {
  const change = chosen ?? causesOf(name).letter
  const to = user?.email
  if (change === undefined || to === undefined || isSynthetic(to)) return undefined
  const { platform } = doer
  const at = platform.now()
  const { languages, ...seen } = isOwn(doer, user) ? seenBy(doer) : {}
  const { actor, user: doing } = doer.caller ?? {}
  const by = isOwn(doer, user) ? undefined : (actor ?? doing)?.name || undefined
  const token = user && TAKES_BACK.has(change) ? ownersToken(platform, { userId: user.id, at, changeId }) : undefined
  const content = { about: 'change', change, at, name: named, by, token, ...seen } as const
  const expiresAt = at + LETTER_LIFETIME_MILLISECONDS
  const kind = change === 'address changed on the host' ? 'notice to a former address' : 'notice'
  return letter(platform, { kind, to, expiresAt, languages, content })
}

/** If somebody else acts, the request shows neither the owner's language nor where the owner is. */
function isOwn({ caller }: Doer, user: Pick<Owner, 'id'> | undefined): boolean {
  return caller === undefined || (!caller.actor && caller.user.id === user?.id)
}

function seenBy({ sender, exchange }: Doer) {
  if (!sender || !exchange) return {}
  const { userAgent, address, continent } = sender
  return { languages: preferredLanguages(exchange), userAgent, address, continent }
}
