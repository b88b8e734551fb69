/** The reason that nothing can be tested here, for whoever can change that. */
export class Hindrance extends Error {
  override readonly name = 'Hindrance'
}
