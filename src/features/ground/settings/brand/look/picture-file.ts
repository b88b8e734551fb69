import { createHash } from 'node:crypto'
import { z } from 'zod'
import { isPng, pictureFault } from './picture.ts'

const MOST_BYTES = 200 * 1024
const MOST_CHARACTERS = Math.ceil(MOST_BYTES / 3) * 4
const TOO_LARGE = 'The image is larger than 200 KB.'

const TYPES = { png: 'image/png', svg: 'image/svg+xml; charset=utf-8' } as const

export const Picture = z.object({
  type: z.enum(['png', 'svg']),
  /** Base64. */
  data: z.string(),
  digest: z.string(),
})
export type Picture = z.output<typeof Picture>

/** An image in base64, checked by its content. */
export const PictureFile = z
  .string()
  .min(1)
  .max(MOST_CHARACTERS, TOO_LARGE)
  .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'Send the image in base64.')
  .superRefine(async (data, context) => {
    const bytes = Buffer.from(data, 'base64')
    const fault = bytes.length > MOST_BYTES ? TOO_LARGE : await pictureFault(bytes)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })

/** Expects a file that has been checked. */
export function pictureOf(data: string): Picture {
  const bytes = Buffer.from(data, 'base64')
  return { type: isPng(bytes) ? 'png' : 'svg', data: bytes.toString('base64'), digest: digestOf(bytes) }
}

export function digestOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22)
}

export function pictureBytes({ type, data }: Picture): { bytes: Buffer<ArrayBuffer>; type: string } {
  return { bytes: Buffer.from(data, 'base64'), type: TYPES[type] }
}
