import { createTransport } from 'nodemailer'
import { type MailMessage, MailNotSent } from './mail.ts'

const CONNECT_MILLISECONDS = 5_000
const SILENCE_MILLISECONDS = 10_000

export async function sendThroughSmtp(url: string, message: MailMessage): Promise<void> {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MILLISECONDS,
    greetingTimeout: CONNECT_MILLISECONDS,
    socketTimeout: SILENCE_MILLISECONDS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  await transport.sendMail(message).catch((error: unknown) => {
    throw new MailNotSent(serversWords(error), { cause: error })
  })
}

/** The server's own line, if it sent one. */
function serversWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'response' in error && typeof error.response === 'string' ? error.response : error.message
}
