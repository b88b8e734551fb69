interface Named {
  readonly name: string
  readonly email: string
}

/** Sign-up sends the address as the name, which does not count as a name. */
export const ownNameOf = ({ name, email }: Named): string => (name === email ? '' : name)

/** What to call a person: the name, else what stands before the @. */
export const shownNameOf = (user: Named): string => ownNameOf(user) || user.email.replace(/@.*$/, '')
