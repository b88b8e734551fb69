import { createHash } from 'node:crypto'
import { z } from 'zod'
import { firstBytes } from '../first-bytes.ts'
import { isUnconnected, type MailMessage, MailNotSent, unsubscribeHeaders } from './mail.ts'

const READ_BYTES = 64 * 1024

/** The public HTTP interface of the email provider: one message, one call. */
export async function sendThroughApi(
  apiUrl: string,
  apiKey: string,
  message: MailMessage,
  signal: AbortSignal,
): Promise<void> {
  const { id, from, to, subject, text, html } = message
  const headers = unsubscribeHeaders(message)
  const body = JSON.stringify({
    ...{ from: mailbox(from), to: [to], subject, text, html },
    ...(Object.keys(headers).length > 0 && { headers }),
  })
  const response = await fetch(`${apiUrl}/emails`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...(id !== undefined && { 'idempotency-key': keyOf(id, body) }),
    },
    body,
    signal,
    redirect: 'error',
  }).catch((error: unknown) => {
    const mayHaveArrived = !isUnconnected(error)
    throw new MailNotSent(`the email API cannot be reached: ${reason(error)}`, {
      cause: error,
      mayHaveArrived,
    })
  })
  const answer = await firstBytes(response, READ_BYTES).catch(() => '')
  if (!response.ok) throw new MailNotSent(`${response.status}: ${providersWords(answer)}`)
}

/** A provider refuses a key that it knows with another body, and the sender's name can change between two attempts. */
function keyOf(id: string, body: string): string {
  return `${id}-${createHash('sha256').update(body).digest('hex').slice(0, 16)}`
}

function mailbox({ name, address }: MailMessage['from']): string {
  return `"${name.replace(/["\\\r\n]/g, '')}" <${address}>`
}

const Complaint = z.object({ message: z.string() })

function providersWords(answer: string): string {
  const complaint = Complaint.safeParse(parsed(answer))
  return complaint.success ? complaint.data.message : answer.slice(0, 200) || 'no reason given'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `fetch` itself says only "fetch failed"; what failed is its cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
