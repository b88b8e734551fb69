import { type FormEvent, useEffect, useRef, useState } from 'react'
import * as z from 'zod/mini'
import { ApiError } from '../server/api.ts'
import { useTexts } from '../texts/texts.tsx'
import { wordsOf } from '../ui/messages/failure.tsx'
import { draftOf, dropDraft, keepDraft } from './draft.ts'

export interface FormOptions<Values, Sent> {
  readonly schema: z.ZodMiniType<Sent, Values>
  readonly initial: Values
  /** The server's response to the last attempt. */
  readonly error?: Error | null
  /** Codes that belong to one field: they are shown there, with these texts or the catalogue's. */
  readonly refusals?: Readonly<Record<string, readonly [field: keyof Values & string, words?: string]>>
  /** The name under which the typed values survive a reload or the end of the session. */
  readonly draft?: string
  /** Fields that must not be in a draft. */
  readonly secrets?: readonly (keyof Values & string)[]
  onSend(sent: Sent): void
}

/** The values of a form and what is wrong with each: shown after the first attempt, first wrong field focused. */
export function useForm<Values extends object, Sent>(options: FormOptions<Values, Sent>) {
  const { schema, initial, error, onSend } = options
  const [values, setValues] = useFormValues(options)
  const [isTried, setTried] = useState(false)
  const [sent, setSent] = useState<Values>()
  const { ref, focusWrong } = useWrongField(error)
  const refused = useRefusedFields(options)
  const parsed = z.safeParse(schema, values)
  const problems: Partial<Record<string, string>> = parsed.success ? {} : problemsOf(parsed.error.issues)

  const problemOf = (name: keyof Values & string): string | undefined => {
    if (isTried && problems[name]) return problems[name]
    return sent?.[name] === values[name] ? refused[name] : undefined
  }
  const set = (changed: Partial<Values>) => setValues((before) => ({ ...before, ...changed }))
  const setOne = <Name extends keyof Values>(name: Name, value: Values[Name]) =>
    setValues((before) => ({ ...before, [name]: value }))

  return {
    values,
    set,
    /** The whole connection between a text field and its value. */
    field: <Name extends keyof Values & string>(name: Name) => ({
      name,
      value: values[name],
      onChange: (value: Values[Name]) => setOne(name, value),
      problem: problemOf(name),
    }),
    isReady: parsed.success,
    draft: options.draft,
    isChanged: JSON.stringify(values) !== JSON.stringify(initial),
    /** What no field shows. */
    failure: Object.keys(refused).length > 0 ? null : (error ?? null),
    clear: () => {
      // The form may be gone before it could notice that nothing is left to keep.
      if (options.draft) dropDraft(options.draft)
      setValues(initial)
      setTried(false)
      setSent(undefined)
    },
    props: {
      ref,
      noValidate: true,
      onSubmit: (event: FormEvent) => {
        event.preventDefault()
        setTried(true)
        setSent(values)
        if (parsed.success) onSend(parsed.data)
        else focusWrong()
      },
    },
  }
}

function useFormValues<Values extends object, Sent>(options: FormOptions<Values, Sent>) {
  const { initial, draft, secrets = [] } = options
  const [values, setValues] = useState<Values>(() => ({ ...initial, ...(draft && draftOf(draft)) }))
  const kept = JSON.stringify(without(values, secrets))
  const untouched = JSON.stringify(without(initial, secrets))
  useEffect(() => {
    if (!draft) return
    if (kept === untouched) dropDraft(draft)
    else keepDraft(draft, JSON.parse(kept))
  }, [draft, kept, untouched])
  return [values, setValues] as const
}

function without(values: object, secrets: readonly string[]): object {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.includes(name)))
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
  initial,
}: FormOptions<Values, Sent>) {
  const texts = useTexts()
  const refused: Partial<Record<string, string>> = {}
  if (!(error instanceof ApiError)) return refused
  const [field, words] = refusals[error.code] ?? []
  if (field) refused[field] = words ?? wordsOf(texts, error)
  for (const { path } of error.issues) if (path in initial) refused[path] ??= texts.form.refused
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
