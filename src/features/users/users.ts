import type { Meta } from '../../platform/store.ts'
import * as store from './store.ts'

/** Undefined only before the first preparation has made the one. */
export function findAdministrator(meta: Meta) {
  return store.administrator(meta)
}

export function findUserByEmail(meta: Meta, email: string) {
  return store.userByEmail(meta, email)
}
