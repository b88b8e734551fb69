import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { Component, type ReactNode } from 'react'
import { ApiError } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../controls/button.tsx'
import { EmptyState } from '../lists/empty-state.tsx'
import { wordsOf } from './failure.tsx'

interface Props {
  readonly fallback: (error: Error, retry: () => void) => ReactNode
  readonly children: ReactNode
}

interface State {
  readonly error: Error | undefined
}

/** React offers this as a class only. */
class Boundary extends Component<Props, State> {
  override state: State = { error: undefined }

  static getDerivedStateFromError(error: Error): State {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return this.props.fallback(error, () => this.setState({ error: undefined }))
  }
}

/** Shows that a page cannot be rendered; if the server was the reason, with a button to retry. */
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
  if (error instanceof ApiError) return <Unreachable error={error} onRetry={onRetry} />
  return (
    <main className="grid min-h-[70dvh] place-items-center">
      <EmptyState
        icon="warning"
        heading="h1"
        title={broken.title}
        text={broken.text}
        action={<Button onPress={() => location.reload()}>{broken.action}</Button>}
      />
    </main>
  )
}

/** Shown instead of a page that has nothing to show until the server responds. */
export function Unreachable({ error, onRetry }: { readonly error: Error; onRetry(): void }) {
  const texts = useTexts()
  return (
    <main className="grid min-h-[70dvh] place-items-center">
      <EmptyState
        icon="warning"
        heading="h1"
        title={texts.broken.unreachable}
        text={wordsOf(texts, error)}
        action={<Button onPress={onRetry}>{texts.common.tryAgain}</Button>}
      />
    </main>
  )
}
