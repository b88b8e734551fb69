import { Component, type ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import { EmptyState } from './empty-state.tsx'

interface State {
  readonly hasFailed: boolean
}

/** React offers this as a class only. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { hasFailed: false }

  static getDerivedStateFromError(): State {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? <Broken /> : this.props.children
  }
}

function Broken() {
  const { broken } = useTexts()
  return (
    <main className="grid min-h-dvh place-items-center">
      <EmptyState
        icon="warning"
        title={broken.title}
        text={broken.text}
        action={<Button onPress={() => location.reload()}>{broken.action}</Button>}
      />
    </main>
  )
}
