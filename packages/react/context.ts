import { createContext, useCallback, useContext, useSyncExternalStore } from 'react'
import type { Connection, GatehouseFailure, State, TokenSource } from './connection.ts'

export interface Gatehouse {
  readonly server: string
  readonly token: TokenSource | undefined
  /** Undefined on a server, and until the script has loaded. */
  readonly connection: Connection | undefined
  readonly failure: GatehouseFailure | undefined
}

export const Context = createContext<Gatehouse | undefined>(undefined)
const UNKNOWN: State = { kind: 'unknown' }

export function useGatehouse(): Gatehouse {
  const gatehouse = useContext(Context)
  if (!gatehouse) throw new Error('This must be rendered inside <GatehouseProvider>.')
  return gatehouse
}

export function useConnection() {
  const { server, connection, failure } = useGatehouse()
  const listen = useCallback((tell: () => void) => connection?.listen(tell) ?? ignore, [connection])
  const read = () => connection?.state ?? UNKNOWN
  const state = useSyncExternalStore(listen, read, () => UNKNOWN)
  const unread = useSyncExternalStore(
    listen,
    () => connection?.unread ?? 0,
    () => 0,
  )
  return { server, connection, failure, state, unread }
}

const ignore = () => undefined
