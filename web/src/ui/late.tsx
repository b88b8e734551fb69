import { type ComponentType, createElement, type ReactNode, use } from 'react'
import { ScriptError } from '../server/scripts.ts'
import { Boundary } from './messages/boundary.tsx'
import { type Missing, MissingPage, MissingPart } from './messages/missing-script.tsx'

type Loaded<Props> = ComponentType<Props>

/** A component with a script of its own, which is fetched when it is first shown. Needs a `Suspense` around it. */
interface Late<Props> {
  /** Fetches the script before it is needed. If that fails, it is fetched again when it is shown. */
  prefetch(): Promise<unknown>
  readonly Part: Loaded<Props>
}

/** If it cannot be fetched, a message stands in its place, and the frame around it stays. */
export function latePage(fetchPage: () => Promise<Loaded<object>>): Late<object> {
  return late(fetchPage, (missing) => <MissingPage {...missing} />)
}

interface Options<Props> {
  /** Called if the user does without it. */
  onGiveUp?(props: Props): void
  /** It is shown without being asked for: the message about it leaves the focus where it is. */
  readonly isUnasked?: boolean
  /** A new value means that the user asked for the part again: the message about it takes the focus again. */
  requestOf?(props: Props): unknown
}

/** If it cannot be fetched, the whole page stays, with a message on top of it. */
export function latePart<Props extends object>(
  fetchPart: () => Promise<Loaded<Props>>,
  { onGiveUp, isUnasked = false, requestOf }: Options<Props> = {},
): Late<Props> {
  return late(fetchPart, (missing, props) => (
    <MissingPart {...missing} takesFocus={!isUnasked} request={requestOf?.(props)} onGiveUp={() => onGiveUp?.(props)} />
  ))
}

function late<Props extends object>(
  fetchPart: () => Promise<Loaded<Props>>,
  missingPart: (missing: Missing, props: Props) => ReactNode,
): Late<Props> {
  let loaded: Loaded<Props> | undefined
  let loading: Promise<Loaded<Props>> | undefined
  let hasFailed = false

  /** Loads once however often it is called; again after a failure. */
  const load = () => {
    if (loading && !hasFailed) return loading
    hasFailed = false
    loading = fetchPart()
    loading.then(
      (Component) => {
        loaded = Component
      },
      () => {
        hasFailed = true
      },
    )
    return loading
  }
  const forget = () => {
    if (!hasFailed) return
    hasFailed = false
    loading = undefined
  }

  // A failed promise is kept while its message is shown: otherwise each rendering would fetch it again.
  // A script that is there is rendered at once: `use` would show the fallback for a moment.
  // biome-ignore lint/correctness/noComponentHookFactories: each part is made once, when its module is read
  const Fetched = (props: Props) => createElement(loaded ?? use(loading ?? load()), props)
  // biome-ignore lint/correctness/noComponentHookFactories: each part is made once, when its module is read
  const Part = (props: Props) => (
    <Boundary
      fallback={(error, onLoaded) => {
        if (error instanceof ScriptError) return missingPart({ error, load, forget, onLoaded }, props)
        throw error
      }}
    >
      <Fetched {...props} />
    </Boundary>
  )
  return { prefetch: () => load().catch(forget), Part }
}
