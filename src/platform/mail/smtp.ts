import { createTransport } from 'nodemailer'
import { isUnconnected, type MailMessage, MailNotSent, unsubscribeHeaders } from './mail.ts'

const CONNECT_MILLISECONDS = 5_000
const SILENCE_MILLISECONDS = 10_000
const LONGEST_REPLY = 64 * 1024
/** All together, because a server that goes on talking is never silent. Shorter than a mail is claimed for. */
const PATIENCE_MILLISECONDS = 45_000

export async function sendThroughSmtp(
  url: string,
  message: MailMessage,
  patienceMilliseconds = PATIENCE_MILLISECONDS,
): Promise<void> {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MILLISECONDS,
    greetingTimeout: CONNECT_MILLISECONDS,
    socketTimeout: SILENCE_MILLISECONDS,
    maxResponseSize: LONGEST_REPLY,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const signal = AbortSignal.timeout(patienceMilliseconds)
  const { unsubscribe: _, ...letter } = message
  const sent = { ...letter, headers: unsubscribeHeaders(message), signal }
  await transport.sendMail(sent).catch((error: unknown) => {
    if (signal.aborted)
      throw new MailNotSent('The mail server did not accept the message in time.', {
        ...{ cause: error, mayHaveArrived: true },
      })
    throw new MailNotSent(serversWords(error), { cause: error, mayHaveArrived: !hasRefused(error) })
  })
}

/** The server's own line, if it sent one. */
function serversWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'response' in error && typeof error.response === 'string' ? error.response : error.message
}

/** Nodemailer names the step: before the message itself was sent, nothing can have arrived. */
function hasRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { command } = error as Error & { readonly command?: unknown }
  return (
    'responseCode' in error || (typeof command === 'string' && command !== 'DATA') || isUnconnected(error)
  )
}
