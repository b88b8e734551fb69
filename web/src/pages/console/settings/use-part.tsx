import { useQueryClient } from '@tanstack/react-query'
import { Fragment } from 'react'
import * as z from 'zod/mini'
import { fieldWords } from '../../../forms/field-words.ts'
import { useForm } from '../../../forms/form.ts'
import { ApiError, call } from '../../../server/api.ts'
import type { Texts } from '../../../texts/en.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { type DocumentOf, type Part, partQuery, type UpdateOf } from '../queries.ts'
import type { ControlProps, Kind } from './part-fields.tsx'

type KindsOfFields<Fields> = {
  readonly [Name in Exclude<keyof Fields, 'expected_version'>]?: Kind<never, unknown, Exclude<Fields[Name], undefined>>
}

/** The fields of a form, by their names in the API. */
export type KindsOf<P extends Part> = KindsOfFields<UpdateOf<P>>

/** The fields of one field of the part. */
type KindsWithin<P extends Part> = {
  [Name in keyof UpdateOf<P>]: Extract<UpdateOf<P>[Name], object> extends infer Inner ? KindsOfFields<Inner> : never
}[keyof UpdateOf<P>]

type Values<F> = { [Name in keyof F]: F[Name] extends Kind<never, infer Typed, unknown> ? Typed : never }

export type FieldsOf<P extends Part> = KindsOf<P> | KindsWithin<P>

export interface PartOptions<P extends Part, F> {
  readonly part: P
  readonly document: DocumentOf<P>
  /** The name under which unsaved changes are kept. */
  readonly page: string
  readonly fields: F
  /** The field of the part that has these fields. */
  readonly within?: keyof DocumentOf<P> & string
  /** Messages for rejected values that say where in the value. */
  readonly invalid?: Readonly<Record<string, (path: string, typed: unknown) => string>>
  onSaved?(saved: DocumentOf<P>): unknown
}

/**
 * The form of one part of the settings. It sends only what was changed. A save that comes after another one keeps
 * the changes, so that they can be reviewed beside the newer version and saved again.
 */
export function usePart<P extends Part, F extends FieldsOf<P>>(options: PartOptions<P, F>) {
  const { part, page, fields, within } = options
  const { version } = options.document
  const document: object = within ? Object(options.document[within]) : options.document
  const { config } = useTexts()
  const wordsFor = (paths: readonly string[]) => problemsOf(config.problems, paths)
  const queryClient = useQueryClient()
  const { queryKey } = partQuery(part)
  const invalid = wordsFor(Object.keys(fields))
  const form = useForm<Values<F>, object, DocumentOf<P>>({
    ...described(fields, document, invalid),
    draft: `settings:${page}`,
    isEdit: true,
    clears: true,
    asksToLeave: true,
    invalid: { ...invalid, ...options.invalid },
    act: (sent, changed) =>
      call(`/api/admin/update_${part}_config` as const, updateOf<P>(sent, changed, version, within)),
    done: config.saved,
    onDone: async (saved) => {
      queryClient.setQueryData(queryKey, saved)
      options.onSaved?.(saved)
      await queryClient.invalidateQueries({ queryKey: ['client-config'] })
    },
  })

  return {
    form,
    /** The whole connection between a control and its field, with label and hint. */
    field: <Name extends keyof Values<F> & string>(name: Name) => ({
      ...form.field(name),
      ...fieldWords(config, name),
    }),
    /** All fields, one below the other. */
    controls: drawn(fields, form.field, config, { ...document }),
    /** The reason the part cannot be saved, if the field in question is on another page. */
    elsewhere: Object.values(wordsFor(pathsOf(form.error))).join(' '),
    isConflict: form.error instanceof ApiError && form.error.code === 'CONFIG_CONFLICT',
    /** Takes over what someone else saved; the changes made here stay on top. */
    reload: async () => {
      await queryClient.invalidateQueries({ queryKey })
      form.reset()
    },
    discard: () => {
      form.reset()
      form.clear()
    },
  }
}

const pathsOf = (error: Error | null) => (error instanceof ApiError ? error.issues.map(({ path }) => path) : [])

const ofProvider = /^(?:provider_a|provider_b|community)_/

/** The message of each field for a rejected value. The fields of every provider have the same. */
function problemsOf(words: Readonly<Record<string, string>>, fields: readonly string[]): Record<string, string> {
  const problems = fields.map((field) => [field, words[field.replace(ofProvider, '')]] as const)
  return Object.fromEntries(problems.filter((problem): problem is [string, string] => problem[1] !== undefined))
}

/** The fields of a form, one below the other. */
export function drawn<F extends object>(
  fields: F,
  field: <Name extends keyof Values<F> & string>(
    name: Name,
  ) => Omit<ControlProps<Values<F>[Name]>, 'document' | 'label'>,
  words: Texts['config'],
  document: Readonly<Record<string, unknown>>,
) {
  return kindsOf(fields).map(([name, { draw }]) => (
    <Fragment key={name}>{draw({ ...field(name), ...fieldWords(words, name), document }, words)}</Fragment>
  ))
}

/** The compiler cannot follow the fields of a form from their kinds. */
export function described<F extends object>(fields: F, document: object, problems: Readonly<Record<string, string>>) {
  const kinds = kindsOf(fields)
  const stored = new Map<string, unknown>(Object.entries(document))
  const schemas = kinds.map(([name, kind]) => [name, kind.schemaOf(problems[name] ?? '')] as const)
  const initial = kinds.map(([name, kind]) => [name, kind.initialOf(stored.get(name))] as const)
  return {
    schema: z.object(Object.fromEntries(schemas)) as unknown as z.ZodMiniType<object, Values<F>>,
    initial: Object.fromEntries(initial) as Values<F>,
    secrets: kinds.filter(([, kind]) => kind.isSecret).map(([name]) => name),
  }
}

const kindsOf = <F extends object>(fields: F) =>
  Object.entries(fields) as [keyof Values<F> & string, Kind<unknown, unknown, unknown>][]

/** The compiler cannot check the fields of an update while the part is a type parameter. */
function updateOf<P extends Part>(sent: object, changed: readonly string[], expected_version: number, within?: string) {
  const changes = Object.fromEntries(Object.entries(sent).filter(([name]) => changed.includes(name)))
  return { ...(within ? { [within]: changes } : changes), expected_version } as UpdateOf<P>
}
