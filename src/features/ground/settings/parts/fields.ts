import { z } from 'zod'
import { secretOf } from '../../../../rules/names.ts'

/** One setting of a part. */
export interface Field {
  /** The stored form. It needs a default, because records saved before the field existed do not have it. */
  readonly stored: z.ZodType
  /** The form that the administrator sends, checked more closely. */
  readonly sent: z.ZodType
  /** Set for fields that are sent as a change and never shown. Other values are sent and shown as they are. */
  readonly change?: 'secret' | 'picture'
  /** The shown form of an object whose fields are sent one by one: those that are not sent stay. */
  readonly whole?: z.ZodType
  /**
   * True if it decides where letters and browsers are sent, or who can sign in as whom: a program that could change it
   * could take over accounts, so only a fresh session of the administrator can. `docs/security.md` judges the others.
   */
  readonly guarded?: boolean
}

export type Fields = Readonly<Record<string, Field>>

/** A field that needs no closer check than its type. */
export function plain<Inner extends z.ZodType>(stored: z.ZodDefault<Inner>) {
  return { stored, sent: stored.unwrap() }
}

/** The change to a secret or a picture; if absent, it is kept. */
export function changeTo<Value extends z.ZodType>(value: Value) {
  return z.discriminatedUnion('action', [
    z.object({ action: z.literal('keep') }),
    z.object({ action: z.literal('replace'), value }),
    z.object({ action: z.literal('remove') }),
  ])
}

/** A secret is sealed in the record; '' if none is configured. */
export const secret = {
  stored: z.string().default(''),
  sent: changeTo(secretOf(4096)),
  change: 'secret',
} as const

/** The fields of a part. Some exist once for each of `groups`, which the record nests and the wire prefixes. */
export interface PartFields<F extends Fields = Fields, G extends string = string, E extends Fields = Fields> {
  readonly own: F
  readonly groups: readonly G[]
  readonly each: E
}

export function partFields<F extends Fields>(own: F): PartFields<F, never, Record<never, never>> {
  return { own, groups: [], each: {} }
}

/** Every field, under its name on the wire. */
export type OnWire<F, G extends string, E> = F & { [N in keyof E & string as `${G}_${N}`]: E[N] }

type Stored<F extends Fields> = { [N in keyof F]: F[N]['stored'] }

type Update<W> = { [N in keyof W]: W[N] extends Field ? z.ZodOptional<W[N]['sent']> : never } & {
  expected_version: z.ZodInt
}

type Document<W> = { version: z.ZodInt } & {
  [N in keyof W as W[N] extends { change: string } ? never : N]: W[N] extends { whole: infer Whole extends z.ZodType }
    ? Whole
    : W[N] extends Field
      ? W[N]['sent']
      : never
} & { [N in keyof W & string as W[N] extends { change: 'secret' } ? `${N}_configured` : never]: z.ZodBoolean }

export interface WireField extends Field {
  readonly name: string
}

export function fieldsOnWire({ own, groups, each }: PartFields): readonly WireField[] {
  const named = (fields: Fields, prefix: string) =>
    Object.entries(fields).map(([name, field]) => ({ name: prefix + name, ...field }))
  return [...named(own, ''), ...groups.flatMap((group) => named(each, `${group}_`))]
}

// The compiler cannot follow each field through a list, so the types of these three say what the list makes.

export function storedSchema<F extends Fields, G extends string, E extends Fields>({
  own,
  groups,
  each,
}: PartFields<F, G, E>) {
  const storedOf = (fields: Fields) =>
    Object.fromEntries(Object.entries(fields).map(([name, { stored }]) => [name, stored]))
  const group = z.object(storedOf(each)).prefault({})
  const shape = { ...storedOf(own), ...Object.fromEntries(groups.map((name) => [name, group])) }
  return z.object(shape) as z.ZodObject<Stored<F> & Record<G, z.ZodPrefault<z.ZodObject<Stored<E>>>>>
}

export function updateSchema<F extends Fields, G extends string, E extends Fields>(fields: PartFields<F, G, E>) {
  const shape = fieldsOnWire(fields).map(({ name, sent }) => [name, sent.optional()])
  return z.object({ ...Object.fromEntries(shape), expected_version: z.int().min(1) }) as z.ZodObject<
    Update<OnWire<F, G, E>>
  >
}

export function documentSchema<F extends Fields, G extends string, E extends Fields, Beside extends z.ZodRawShape>(
  fields: PartFields<F, G, E>,
  beside?: Beside,
) {
  const shape = fieldsOnWire(fields).flatMap(({ name, sent, whole = sent, change }): [string, z.ZodType][] => {
    if (change === undefined) return [[name, whole]]
    return change === 'secret' ? [[`${name}_configured`, z.boolean()]] : []
  })
  return z.object({ version: z.int(), ...Object.fromEntries(shape), ...beside }) as z.ZodObject<
    Document<OnWire<F, G, E>> & Beside
  >
}
