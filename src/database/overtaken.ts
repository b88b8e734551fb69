import { ConstraintViolation, type Store, StoreUnavailable } from './store.ts'

/** What a write depends on has changed since it was read. Nothing is written. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

// Each further try needs another change between two statements.
const TRIES_AT_MOST = 20

/** Runs the act again if a change overtook it, so that everything is read and checked anew. */
export async function untilNotOvertaken<Tables, T>({ name }: Store<Tables>, act: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < TRIES_AT_MOST; tries++) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error
    }
  }
  throw new StoreUnavailable(name)
}

/** Handler for `catch`: another row has taken a unique value since it was looked for. */
export function overtakenIfTaken(error: unknown): never {
  const isTaken = error instanceof ConstraintViolation && error.kind === 'unique'
  throw isTaken ? new Overtaken('a unique value was taken in between', { cause: error }) : error
}
