import { z } from 'zod'
import type { Platform } from '../../../../platform/platform.ts'
import { onOneLine } from '../../../../rules/one-line.ts'
import { HOUR_MILLISECONDS } from '../../../../rules/time.ts'

/** What a verifier says of itself when it reads the feed. Somebody else's words, whatever they are. */
export const Introduction = z.object({
  verifier: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'An id has 1 to 64 of a-z, A-Z, 0-9, _ and -.')
    .optional(),
  name: z.string().max(64).optional(),
  version: z.string().max(32).optional(),
  /** For how many seconds it may accept what ended, once it is cut off. */
  outage: z.int().min(0).max(86_400).optional(),
})
export type Introduction = z.output<typeof Introduction>

/** One verifier, as a process has heard it or another has told it. */
export const Reader = z.object({
  application: z.string(),
  verifier: z.string(),
  name: z.string(),
  version: z.string(),
  outage: z.int(),
  seen_at: z.int(),
  /** When it had read up to which position; both only grow. */
  steps: z.array(z.tuple([z.int(), z.int()])),
})
export type Reader = z.output<typeof Reader>

const MOST = 1_000
const MOST_OF_ONE_APPLICATION = 100
const MOST_STEPS = 512

/** The verifiers of the last hour, bounded: the longest unheard go first. */
export class Readers {
  /** In the order in which they were last heard. */
  readonly #readers = new Map<string, Reader>()
  #news = new Set<string>()

  /** Heard by this process, so the others do not know it yet. */
  hear(reader: Reader): void {
    this.#news.add(this.merge(reader))
  }

  merge(told: Reader): string {
    const key = `${told.application} ${told.verifier}`
    const known = this.#readers.get(key)
    if (!known) this.#makeRoom(told)
    this.#readers.delete(key)
    this.#readers.set(key, known ? merged(known, told) : told)
    return key
  }

  list(now: number): readonly Reader[] {
    this.#forget(now)
    return [...this.#readers.values()]
  }

  /** What was heard here since the last call, with no more of its steps than others need. */
  takeNews(since: number): readonly Reader[] {
    const heard = [...this.#news].flatMap((key) => this.#readers.get(key) ?? [])
    this.#news = new Set()
    return heard.map((reader) => ({ ...reader, steps: stepsSince(reader.steps, since) }))
  }

  #forget(now: number): void {
    for (const [key, { seen_at }] of this.#readers) if (seen_at <= now - HOUR_MILLISECONDS) this.#drop(key)
  }

  /** Its news is dropped as well: with embedded stores no other process collects it, and it would never be freed. */
  #drop(key: string): void {
    this.#readers.delete(key)
    this.#news.delete(key)
  }

  #makeRoom({ application }: Reader): void {
    const all = [...this.#readers]
    const own = all.filter(([, reader]) => reader.application === application)
    const [longestUnheard] = own.length >= MOST_OF_ONE_APPLICATION ? own : all.length >= MOST ? all : []
    if (longestUnheard) this.#drop(longestUnheard[0])
  }
}

function merged(known: Reader, told: Reader): Reader {
  const later = told.seen_at >= known.seen_at ? told : known
  return { ...later, steps: thinned(told.steps.reduce(withStep, [...known.steps])) }
}

/** A step that goes back, or nowhere, says nothing new. */
function withStep(steps: Reader['steps'], [at, position]: Reader['steps'][number]): Reader['steps'] {
  const last = steps.at(-1)
  if (last === undefined || position > last[1]) steps.push([Math.max(at, last?.[0] ?? at), position])
  return steps
}

/** Of two old steps the later stays, which had read as much, so what it is said to have read it has. */
function thinned(steps: Reader['steps']): Reader['steps'] {
  if (steps.length <= MOST_STEPS) return steps
  return steps.filter((_, i) => i >= MOST_STEPS / 2 || i % 2 === 1)
}

/** The last step of before is what it had read when that time began. */
function stepsSince(steps: Reader['steps'], since: number): Reader['steps'] {
  const first = steps.findIndex(([at]) => at > since)
  return first < 0 ? steps.slice(-1) : steps.slice(Math.max(0, first - 1))
}

const readersOf = new WeakMap<Platform, Readers>()

/** Those that this process knows. */
export function knownReaders(platform: Platform): Readers {
  const readers = readersOf.get(platform) ?? new Readers()
  readersOf.set(platform, readers)
  return readers
}

/** Notes who reads the feed, and how far it has read. One that does not say who it is is served as well. */
export function noteReader(
  platform: Platform,
  application: string,
  { verifier, name = '', version = '', outage = 0 }: Introduction,
  after: string | undefined,
): void {
  if (verifier === undefined) return
  const now = platform.now()
  const position = Number(after)
  knownReaders(platform).hear({
    ...{ application, verifier, outage, seen_at: now },
    ...{ name: onOneLine(name), version: onOneLine(version) },
    steps: Number.isSafeInteger(position) ? [[now, position]] : [],
  })
}

/** When it had read this position, as far as is known; undefined if it has not yet. */
export function readAt({ steps }: Reader, position: number): number | undefined {
  return steps.find(([, read]) => read >= position)?.[0]
}

/** Undefined for one that has just begun, and has nothing to forget. */
export function readTo({ steps }: Reader): number | undefined {
  return steps.at(-1)?.[1]
}

/** A verifier that follows asks every two seconds. */
const SILENT_MILLISECONDS = 5_000

export function isSilent({ seen_at }: Reader, now: number): boolean {
  return seen_at < now - SILENT_MILLISECONDS
}

/** Heard in the five seconds before, or since: it may have remembered what ended then. */
export function wasThere({ seen_at }: Reader, time: number): boolean {
  return seen_at >= time - SILENT_MILLISECONDS
}
