import { useEffect, useRef, useState } from 'react'
import * as z from 'zod/mini'
import { type ActOptions, useAct } from '../server/act.ts'
import { ApiError } from '../server/api.ts'
import { useTexts } from '../texts/texts.tsx'
import { say } from '../toasts.ts'
import { wordsOf } from '../ui/messages/failure.tsx'
import { draftOf, dropDraft, keepDraft } from './draft.ts'
import { onSubmit } from './on-submit.ts'
import { useUnsaved } from './unsaved.tsx'

export interface FormOptions<Values, Sent, Got = unknown> extends Omit<ActOptions<Sent, Got>, 'act'> {
  /** Gets the names of the fields that differ from `initial` too. */
  act(sent: Sent, changed: readonly (keyof Values & string)[]): Promise<Got>
  readonly schema: z.ZodMiniType<Sent, Values>
  readonly initial: Values
  /** Codes that belong to one field: they are shown there, with these texts or the catalogue's. */
  readonly refusals?: Readonly<Record<string, readonly [field: keyof Values & string, words?: string]>>
  /** The message of a field if the server rejects its value, which can depend on where in it. */
  readonly invalid?: Readonly<Record<string, string | ((path: string, typed: unknown) => string)>>
  /** The name under which the typed values survive a reload or the end of the session. */
  readonly draft?: string
  /** Fields that must not be in a draft. */
  readonly secrets?: readonly (keyof Values & string)[]
  /** The form changes something that exists: without a change it sends nothing, and says so. */
  readonly isEdit?: boolean
  /** Forgets what was typed once it is done. */
  readonly clears?: boolean
  /** The user is asked before changes are lost by leaving the page. */
  readonly asksToLeave?: boolean
}

/**
 * The values of a form, what is wrong with each, and the act that sends them. What is wrong is shown after the first
 * attempt, and the first wrong field focused. A field that was not changed follows `initial`, which another window or
 * a save can replace.
 */
export function useForm<Values extends object, Sent, Got = unknown>(options: FormOptions<Values, Sent, Got>) {
  const { draft, isEdit = false, asksToLeave = false } = options
  const { form } = useTexts()
  const { values, changed, set, forget } = useFormValues(options)
  const lastSent = useRef<Values>(undefined)
  const isChanged = changed.length > 0
  const markAsSaved = useUnsaved({ isChanged: asksToLeave && isChanged, draft })
  const running = useSending(options, changed, () => clear(lastSent.current))
  const { error } = running
  const { parsed, problemOf, isRefused, setSent } = useProblems(options, error, values)
  const { ref, focusWrong } = useWrongField(error)

  const clear = (sent?: Values) => {
    const isClear = forget(sent)
    setSent(undefined)
    if (!isClear) return
    // The form may be gone before it could notice that nothing is left to keep.
    if (draft) dropDraft(draft)
    markAsSaved()
  }
  const send = (then?: () => void) => {
    if (isEdit && !isChanged) return say(form.unchanged)
    setSent(values)
    lastSent.current = values
    if (parsed.success) running.mutate(parsed.data, { onSuccess: () => then?.() })
    else focusWrong()
  }

  return {
    values,
    set: (more: Partial<Values>) => set(more),
    /** The whole connection between a control and its value. */
    field: <Name extends keyof Values & string>(name: Name) => ({
      name,
      value: values[name],
      onChange: (value: Values[Name]) => set({ [name]: value }),
      problem: problemOf(name),
    }),
    isChanged,
    clear: () => clear(),
    /** The server's response. */
    got: running.data,
    error,
    /** A failure that no field shows. */
    failure: isRefused ? null : error,
    isPending: running.isPending,
    reset: running.reset,
    /** Sends these values, whatever is typed. */
    act: running.mutate,
    /** Checks the values and sends them, as the form's button does. */
    send,
    props: { ref, noValidate: true, onSubmit: onSubmit(() => send()) },
  }
}

function useSending<Values, Sent, Got>(
  options: FormOptions<Values, Sent, Got>,
  changed: readonly (keyof Values & string)[],
  clear: () => void,
) {
  return useAct<Got, Sent>({
    ...options,
    act: (sent) => options.act(sent, changed),
    onDone: (got, sent) => {
      if (options.clears) clear()
      return options.onDone?.(got, sent)
    },
  })
}

type Described<Values, Sent> = Omit<FormOptions<Values, Sent>, keyof ActOptions<Sent, unknown>>

function useFormValues<Values extends object, Sent>(options: Described<Values, Sent>) {
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
  const latest = useRef(values)
  useEffect(() => {
    latest.current = values
  })
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
        Object.fromEntries(Object.entries({ ...before, ...more }).filter(([name, value]) => !isInitial(name, value))),
      ),
    /** Forgets what was sent, or everything. Returns true if nothing was changed meanwhile. */
    forget: (sent: Values = latest.current) => {
      const since = Object.entries(latest.current).filter(
        ([name, value]) => !isField(name) || JSON.stringify(value) !== JSON.stringify(sent[name]),
      )
      setChanges(Object.fromEntries(since))
      return since.length === 0
    },
  }
}

/** The problem of each field: found by the schema, or by the server if the field was not changed since. */
function useProblems<Values extends object, Sent>(
  options: Described<Values, Sent>,
  error: Error | null,
  values: Values,
) {
  const [sent, setSent] = useState<Values>()
  const refused = useRefusedFields(options, error, values)
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

function useRefusedFields<Values extends object, Sent>(
  { refusals = {}, invalid = {}, initial }: Described<Values, Sent>,
  error: Error | null,
  values: Values,
) {
  const texts = useTexts()
  const refused: Partial<Record<string, string>> = {}
  if (!(error instanceof ApiError)) return refused
  const [named, words] = refusals[error.code] ?? []
  if (named) refused[named] = words ?? wordsOf(texts, error)
  for (const { path } of error.issues) {
    const names = path.split('.')
    // The fields of a form can be those of one field of what is sent.
    const at = names.findIndex((name) => name in initial)
    const field = names[at]
    if (field === undefined) continue
    const words = invalid[field] ?? texts.form.refused
    refused[field] ??=
      typeof words === 'string' ? words : words(names.slice(at + 1).join('.'), Reflect.get(values, field))
  }
  return refused
}

/** The fields show that they are wrong only once they are rendered again, so the focus moves then. */
function useWrongField(error: Error | null) {
  const ref = useRef<HTMLFormElement>(null)
  const [attempts, setAttempts] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt and each answer moves the focus once
  useEffect(() => {
    ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [attempts, error])

  return { ref, focusWrong: () => setAttempts((before) => before + 1) }
}
