import { type Store, StoreUnavailable } from './store.ts'

/** What a write depends on has changed since it was read. Nothing is written. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

// Each further turn needs another change between two statements.
const TURNS = 20

/** Runs again, so that everything is read and checked as it is now, if it was overtaken by a change. */
export async function untilNotOvertaken<Tables, T>({ name }: Store<Tables>, act: () => Promise<T>): Promise<T> {
  for (let turn = 1; turn <= TURNS; turn++) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error
    }
  }
  throw new StoreUnavailable(name)
}
