import { type FormEvent, useEffect, useRef, useState } from 'react'
import * as z from 'zod/mini'
import { ApiError } from '../server/api.ts'
import { useTexts } from '../texts/texts.tsx'
import { say } from '../toasts.ts'
import { wordsOf } from '../ui/messages/failure.tsx'
import { draftOf, dropDraft, keepDraft } from './draft.ts'

export interface FormOptions<Values, Sent> {
  readonly schema: z.ZodMiniType<Sent, Values>
  readonly initial: Values
  /** The server's response to the last attempt. */
  readonly error?: Error | null
  /** Codes that belong to one field: they are shown there, with these texts or the catalogue's. */
  readonly refusals?: Readonly<Record<string, readonly [field: keyof Values & string, words?: string]>>
  /** What a field says if the server rejects its value. */
  readonly invalid?: Readonly<Record<string, string>>
  /** The name under which the typed values survive a reload or the end of the session. */
  readonly draft?: string
  /** Fields that must not be in a draft. */
  readonly secrets?: readonly (keyof Values & string)[]
  /** It changes something that exists already: without a change it sends nothing, and says so. */
  readonly isEdit?: boolean
  onSend(sent: Sent): void
}

/**
 * The values of a form and what is wrong with each: shown after the first attempt, first wrong field focused.
 * A field that was not changed follows `initial`, which another window or a save can replace.
 */
export function useForm<Values extends object, Sent>(options: FormOptions<Values, Sent>) {
  const { error, isEdit = false, onSend } = options
  const { form } = useTexts()
  const { values, changed, set, forget } = useFormValues(options)
  const { parsed, problemOf, isRefused, setSent } = useProblems(options, values)
  const { ref, focusWrong } = useWrongField(error)

  const send = (accept = onSend) => {
    if (isEdit && changed.length === 0) return say(form.unchanged)
    setSent(values)
    if (parsed.success) accept(parsed.data)
    else focusWrong()
  }

  return {
    values,
    /** The names of the fields that differ from `initial`. */
    changed,
    set: (more: Partial<Values>) => set(more),
    /** The whole connection between a text field and its value. */
    field: <Name extends keyof Values & string>(name: Name) => ({
      name,
      value: values[name],
      onChange: (value: Values[Name]) => set({ [name]: value }),
      problem: problemOf(name),
    }),
    /** The same for a switch. */
    toggle: (name: TogglesOf<Values>) => ({
      isSelected: values[name] === true,
      onChange: (isSelected: boolean) => set({ [name]: isSelected }),
      problem: problemOf(name),
    }),
    draft: options.draft,
    isChanged: changed.length > 0,
    /** What no field shows. */
    failure: isRefused ? null : (error ?? null),
    clear: () => {
      // The form may be gone before it could notice that nothing is left to keep.
      if (options.draft) dropDraft(options.draft)
      forget()
      setSent(undefined)
    },
    /** Checks the values and passes them on as the form's button does, to `onSend` or to another function. */
    send,
    props: {
      ref,
      noValidate: true,
      onSubmit: (event: FormEvent) => {
        event.preventDefault()
        send()
      },
    },
  }
}

type TogglesOf<Values> = {
  [Name in keyof Values & string]: Values[Name] extends boolean ? Name : never
}[keyof Values & string]

function useFormValues<Values extends object, Sent>(options: FormOptions<Values, Sent>) {
  const { initial, draft, secrets = [] } = options
  const [changes, setChanges] = useState<object>(() => (draft ? draftOf(draft) : {}))
  const values: Values = { ...initial, ...changes }
  const isField = (name: string): name is keyof Values & string => name in initial
  const isInitial = (name: string, value: unknown) =>
    isField(name) && JSON.stringify(value) === JSON.stringify(initial[name])
  const changed = Object.keys(initial)
    .filter(isField)
    .filter((name) => !isInitial(name, values[name]))
  const worth = changed.filter((name) => !secrets.includes(name))
  const kept = JSON.stringify(Object.fromEntries(worth.map((name) => [name, values[name]])))
  useEffect(() => {
    if (!draft) return
    if (kept === '{}') dropDraft(draft)
    else keepDraft(draft, JSON.parse(kept))
  }, [draft, kept])
  return {
    values,
    changed,
    // A field that was changed back counts as unchanged, also if `initial` is replaced later.
    set: (more: object) =>
      setChanges((before) =>
        Object.fromEntries(
          Object.entries({ ...before, ...more }).filter(([name, value]) => !isInitial(name, value)),
        ),
      ),
    forget: () => setChanges({}),
  }
}

/** What is wrong with each field: by the schema, or by the server if it was not changed since. */
function useProblems<Values extends object, Sent>(options: FormOptions<Values, Sent>, values: Values) {
  const [sent, setSent] = useState<Values>()
  const refused = useRefusedFields(options)
  const parsed = z.safeParse(options.schema, values)
  const problems: Partial<Record<string, string>> = parsed.success ? {} : problemsOf(parsed.error.issues)
  const problemOf = (name: keyof Values & string): string | undefined => {
    if (sent && problems[name]) return problems[name]
    return sent?.[name] === values[name] ? refused[name] : undefined
  }
  return { parsed, problemOf, isRefused: Object.keys(refused).length > 0, setSent }
}

/** The first issue of each field. */
function problemsOf(issues: readonly z.core.$ZodIssue[]): Record<string, string> {
  const problems: Record<string, string> = {}
  for (const { path, message } of issues) problems[String(path[0])] ??= message
  return problems
}

function useRefusedFields<Values extends object, Sent>({
  error,
  refusals = {},
  invalid = {},
  initial,
}: FormOptions<Values, Sent>) {
  const texts = useTexts()
  const refused: Partial<Record<string, string>> = {}
  if (!(error instanceof ApiError)) return refused
  const [named, words] = refusals[error.code] ?? []
  if (named) refused[named] = words ?? wordsOf(texts, error)
  for (const { path } of error.issues) {
    const [field = path] = path.split('.')
    if (field in initial) refused[field] ??= invalid[field] ?? texts.form.refused
  }
  return refused
}

/** The fields show that they are wrong only once they are rendered again, so the focus moves then. */
function useWrongField(error: Error | null | undefined) {
  const ref = useRef<HTMLFormElement>(null)
  const [attempts, setAttempts] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt and each answer moves the focus once
  useEffect(() => {
    ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [attempts, error])

  return { ref, focusWrong: () => setAttempts((before) => before + 1) }
}
