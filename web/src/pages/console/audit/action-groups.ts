import { ACTS, type Action, type ActionGroup } from '../../../../../src/rules/acts.ts'

const isGroup = (name: string): name is ActionGroup => Object.hasOwn(ACTS, name) && name !== 'unlisted'
export const groupNames = Object.keys(ACTS).filter(isGroup)

const mark = 'group:'

/** The form of a group in the address, where a single action can stand too. */
export const namedGroup = (group: ActionGroup): string => `${mark}${group}`

export const isNamedGroup = (name: string): boolean => name.startsWith(mark)

const isAction = (name: string): name is Action => groupNames.some((group) => Object.hasOwn(ACTS[group], name))

export const actionsOf = (group: ActionGroup): Action[] => Object.keys(ACTS[group]).filter(isAction)

/** All actions of a group, or the one that is named. */
export const actionsNamed = (name: string): string | string[] => {
  if (!isNamedGroup(name)) return name
  const group = name.slice(mark.length)
  return isGroup(group) ? actionsOf(group) : []
}
