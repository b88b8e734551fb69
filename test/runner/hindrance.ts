/** The reason why tests cannot run here, for the person who can fix it. */
export class Hindrance extends Error {
  override readonly name = 'Hindrance'
}
