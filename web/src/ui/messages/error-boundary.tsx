import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ReactNode, startTransition, useEffect } from 'react'
import { ApiError } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../controls/button.tsx'
import { Boundary } from './boundary.tsx'
import { wordsOf } from './failure.tsx'
import { PageMessage } from './page-message.tsx'

/** Shows that a page cannot be rendered, with a button to retry if the server was the reason. */
export function ErrorBoundary({ children }: { readonly children: ReactNode }) {
  const { reset } = useQueryErrorResetBoundary()
  return (
    <Boundary
      fallback={(error, draw) => (
        <Broken
          error={error}
          onRetry={() => {
            reset()
            draw()
          }}
        />
      )}
    >
      {children}
    </Boundary>
  )
}

function Broken({ error, onRetry }: { readonly error: Error; onRetry(): void }) {
  const { broken } = useTexts()
  useStepInHistory(onRetry)
  if (error instanceof ApiError) return <Unreachable error={error} onRetry={onRetry} />
  return (
    <PageMessage
      title={broken.title}
      text={broken.text}
      action={<Button onPress={() => location.reload()}>{broken.action}</Button>}
    />
  )
}

/**
 * A step in the history leads away from what cannot be rendered; as a transition, so that the new address is rendered
 * with it.
 */
function useStepInHistory(onStep: () => void) {
  useEffect(() => {
    const follow = () => startTransition(onStep)
    addEventListener('popstate', follow)
    return () => removeEventListener('popstate', follow)
  }, [onStep])
}

/** Shown instead of a page that has nothing to show until the server responds. */
export function Unreachable({ error, onRetry }: { readonly error: Error; onRetry(): void }) {
  const texts = useTexts()
  return (
    <PageMessage
      title={texts.broken.unreachable}
      text={wordsOf(texts, error)}
      action={<Button onPress={onRetry}>{texts.common.tryAgain}</Button>}
    />
  )
}
