export class Failed extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

export function failedOf(error: unknown): Failed {
  return error instanceof Failed ? error : new Failed(0, 'NETWORK')
}
