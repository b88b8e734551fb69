import { onlineManager } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { ScriptError } from '../../server/scripts.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button, type Look } from '../controls/button.tsx'
import { wordsOf } from './failure.tsx'
import { Opening } from './opening.tsx'
import { PageMessage } from './page-message.tsx'

export interface Missing {
  readonly error: ScriptError
  load(): Promise<unknown>
  /** The next time that the part is shown, it is fetched again. */
  forget(): void
  onLoaded(): void
}

/** Replaces a page. The page comes by itself as soon as the server responds, or as part of the new version. */
export function MissingPage(missing: Missing) {
  const texts = useTexts()
  const attempt = useAttempts(missing)
  const { error, tryAgain } = attempt
  const isReloading = error.isOutdated && reloadedFor() !== error.path
  useEffect(() => {
    if (isReloading) reloadFor(error.path)
  }, [isReloading, error])
  useEffect(() => onlineManager.subscribe((isOnline) => isOnline && tryAgain()), [tryAgain])
  if (isReloading) return <Opening />
  return (
    <PageMessage title={texts.broken.unreachable} text={wordsOf(texts, error)} action={<NextStep {...attempt} />} />
  )
}

interface PartProps extends Missing {
  readonly takesFocus: boolean
  readonly request: unknown
  onGiveUp(): void
}

/** Lies on top of the page, which stays as it is; an open dialog is not closed by a click on it. */
export function MissingPart({ takesFocus, request, onGiveUp, ...missing }: PartProps) {
  const texts = useTexts()
  const { box, giveBack } = useBorrowedFocus(takesFocus, request)
  const attempt = useAttempts({
    ...missing,
    onLoaded: () => {
      giveBack()
      missing.onLoaded()
    },
  })
  const [isHidden, setHidden] = useState(false)
  if (isHidden) return null
  const giveUp = () => {
    giveBack()
    setHidden(true)
    onGiveUp()
  }
  return createPortal(
    <div
      role="alert"
      data-react-aria-top-layer="true"
      className="pointer-events-none fixed inset-x-0 bottom-0 z-50 flex justify-center p-3"
    >
      <div
        ref={box}
        tabIndex={-1}
        className="appear pointer-events-auto flex max-w-2xl flex-wrap items-center justify-end gap-3 rounded-lg border border-warning/30 bg-warning-soft px-4 py-2.5 text-compact text-ink shadow-float"
      >
        <p className="min-w-0 basis-64 grow">
          {attempt.error.isOutdated ? texts.broken.outdated : texts.broken.missingPart}
        </p>
        <div className="flex gap-2">
          <Button size="small" onPress={giveUp}>
            {texts.common.close}
          </Button>
          <NextStep {...attempt} size="small" />
        </div>
      </div>
    </div>,
    document.body,
  )
}

/** An open dialog keeps the Tab key to itself: without the focus, the message would be out of reach of the keyboard. */
function useBorrowedFocus(isWanted: boolean, request: unknown) {
  const box = useRef<HTMLDivElement>(null)
  const owner = useRef<Element>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each request moves the focus once
  useEffect(() => {
    if (!isWanted || box.current?.contains(document.activeElement)) return
    owner.current = document.activeElement
    box.current?.focus()
  }, [isWanted, request])
  const giveBack = () => {
    if (owner.current instanceof HTMLElement) owner.current.focus()
  }
  return { box, giveBack }
}

interface Attempt {
  readonly error: ScriptError
  readonly isPending: boolean
  tryAgain(): void
}

function useAttempts({ error: first, load, forget, onLoaded }: Missing): Attempt {
  const [state, setState] = useState({ error: first, isPending: false })
  useEffect(() => forget, [forget])
  const tryAgain = () => {
    setState(({ error }) => ({ error, isPending: true }))
    load().then(onLoaded, (again) =>
      setState(({ error }) => ({ error: again instanceof ScriptError ? again : error, isPending: false })),
    )
  }
  return { ...state, tryAgain }
}

function NextStep({ error, isPending, tryAgain, size }: Attempt & Pick<Look, 'size'>) {
  const { broken, common } = useTexts()
  if (!error.needsReload)
    return (
      <Button size={size} isPending={isPending} onPress={tryAgain}>
        {common.tryAgain}
      </Button>
    )
  return (
    <Button size={size} onPress={() => location.reload()}>
      {broken.action}
    </Button>
  )
}

const reloaded = 'reloaded-for'

/** While several versions are served at once, a reload can get the same old one: once is enough. */
const reloadedFor = () => sessionStorage.getItem(reloaded)

function reloadFor(path: string): void {
  sessionStorage.setItem(reloaded, path)
  location.reload()
}
