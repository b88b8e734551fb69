type Given<Changes> = { [Key in keyof Changes]?: Exclude<Changes[Key], undefined> }

/** Drops fields that were not sent. */
export function given<Changes extends object>(changes: Changes): Given<Changes> {
  const sent = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(sent) as Given<Changes>
}
