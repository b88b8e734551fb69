interface Named {
  readonly name: string
  readonly email: string
}

/** True if anything is visible: not only spaces and zero-width characters. */
const isVisible = (text: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text)

/** Shows a dash for text that is invisible. */
export const visibleText = (text: string): string => (isVisible(text) ? text : '–')

/** Sign-up sends the address as the name, in the letters that were typed, which does not count as a name. */
export const ownNameOf = ({ name, email }: Named): string =>
  name.toLowerCase() === email || !isVisible(name) ? '' : name

/** The name to show for a user: their own, else the part of the address before the @. */
export const shownNameOf = (user: Named): string => ownNameOf(user) || user.email.replace(/@.*$/, '')
