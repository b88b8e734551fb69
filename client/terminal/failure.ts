export const EXIT = {
  done: 0,
  refused: 1,
  usage: 2,
  unknownConnection: 3,
  authorizationNeeded: 4,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The client's one way to fail: the exit code is for programs, the message tells people what to do. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly exitCode: ExitCode

  constructor(exit: Exclude<keyof typeof EXIT, 'done'>, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = EXIT[exit]
  }
}

export function usage(message: string): Failure {
  return new Failure('usage', message)
}

export function unknownConnection(name: string): Failure {
  return new Failure(
    'unknownConnection',
    `no connection named "${name}"; run \`gatehouse connect ${name} <server> <scopes>\` first`,
  )
}
