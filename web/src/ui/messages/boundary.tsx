import { Component, type ReactNode } from 'react'

interface Props {
  readonly fallback: (error: Error, retry: () => void) => ReactNode
  readonly children: ReactNode
}

interface State {
  readonly error: Error | undefined
}

/** React offers this as a class only. */
export class Boundary extends Component<Props, State> {
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
