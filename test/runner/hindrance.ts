/** Why nothing can be tested here, in words for the person who has to change it. */
export class Hindrance extends Error {
  override readonly name = 'Hindrance'
}
