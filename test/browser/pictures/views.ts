import { CONSOLE, FRONT, INSIDE } from '../support/paths.ts'

export interface View {
  readonly name: string
  readonly path: string
}

/** The names of pictures that do not follow from the path. */
const NAMED: Readonly<Record<string, string>> = {
  '/': 'home',
  '/settings': 'settings-profile',
  '/settings/nowhere': 'nowhere',
  '/oauth/authorize': 'authorize',
  '/verify': 'verify-unknown',
  '/console': 'console-overview',
  '/console/users?open=new': 'console-invite',
}

const viewOf = (path: string): View => {
  const [address = path] = path.slice(1).split('?')
  return { name: NAMED[path] ?? address.replaceAll('/', '-'), path }
}

export const before: readonly View[] = FRONT.map(viewOf)
export const inside: readonly View[] = INSIDE.map(viewOf)
export const ofConsole: readonly View[] = [...CONSOLE, '/console/users?open=new'].map(viewOf)
