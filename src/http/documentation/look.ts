import { unlessUnavailable } from '../../database/store.ts'
import type { Shown } from './brand-line.ts'
import type { Palette } from './common-style.ts'

/** What the installation calls itself and looks like. */
export interface Look extends Shown {
  readonly palette: Palette | null
}

export type ReadLook = () => Promise<Look>

/** While no store can be read, the last look counts, or the host's name. */
export function lastLook(readLook: ReadLook, host: string): ReadLook {
  let known: Look = { name: host, logoUrl: null, logoDarkUrl: null, iconUrl: null, palette: null }
  return async () => {
    known = (await readLook().catch(unlessUnavailable)) ?? known
    return known
  }
}
