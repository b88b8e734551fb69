const REASONS = {
  unknown: { code: 'ENOTFOUND', words: (name: string) => `There is no address for ${name}.` },
  late: { code: 'EAI_AGAIN', words: (name: string) => `No name server has found ${name} in time.` },
  'no place': {
    code: 'EAI_AGAIN',
    words: () => 'Too many names are being looked up right now. Try again in a moment.',
  },
} as const

/** The codes are those of `getaddrinfo`. */
export class NameNotResolved extends Error {
  override readonly name = 'NameNotResolved'
  readonly code: 'ENOTFOUND' | 'EAI_AGAIN'
  readonly reason: keyof typeof REASONS

  constructor(name: string, reason: keyof typeof REASONS, options?: ErrorOptions) {
    super(REASONS[reason].words(name), options)
    this.code = REASONS[reason].code
    this.reason = reason
  }
}
