interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  readonly body: any
}

export const statuses = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status)

/** The status and code of a refusal by this API. */
export const refusal = ({ status, body }: Answered): [number, string] => [status, body.code]

/** The status and error of a refusal by an endpoint of OAuth. */
export const oauthError = ({ status, body }: Answered): [number, string] => [status, body.error]
