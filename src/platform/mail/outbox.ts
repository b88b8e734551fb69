import { randomBytes } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { type MailMessage, unsubscribeHeaders } from './mail.ts'

const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })

/** For a developer's machine: each message becomes a file, named by its time, that a mail program can open. */
export async function writeToOutbox(folder: string, message: MailMessage, at: number): Promise<void> {
  const { unsubscribe: _, ...letter } = message
  const { message: composed } = await composer.sendMail({
    ...letter,
    headers: unsubscribeHeaders(message),
    date: new Date(at),
  })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = `${new Date(at).toISOString().replaceAll(':', '-')}-${randomBytes(4).toString('hex')}`
  const draft = join(folder, `.${name}.tmp`)
  await writeFile(draft, composed, { mode: 0o600, flag: 'wx' })
  await rename(draft, join(folder, `${name}.eml`))
}
