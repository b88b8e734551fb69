import { createContext, useCallback, useContext, useSyncExternalStore } from 'react'
import type { Connection, Followed, GatehouseFailure, State, TokenSource } from './connection.ts'

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
  const state = useTold(connection, ({ state }) => state, UNKNOWN)
  const unread = useTold(connection, ({ unread }) => unread, 0)
  return { server, connection, failure, state, unread }
}

/** Returns what is known of something that its caller follows with `follow`. */
export function useFollowed<Value>(
  connection: Connection | undefined,
  followedOf: (connection: Connection) => Followed<Value>,
) {
  const value = useTold(connection, (joined) => followedOf(joined).value, undefined)
  const error = useTold(connection, (joined) => followedOf(joined).error, undefined)
  return { value, error }
}

function useTold<Value>(
  connection: Connection | undefined,
  read: (connection: Connection) => Value,
  initial: Value,
): Value {
  const listen = useCallback((tell: () => void) => connection?.listen(tell) ?? ignore, [connection])
  const now = () => (connection ? read(connection) : initial)
  return useSyncExternalStore(listen, now, () => initial)
}

const ignore = () => undefined
