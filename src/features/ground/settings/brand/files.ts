import { Answer } from '../../../../http/answers/answer.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { type Picture, pictureBytes } from './look/picture-file.ts'

/** An image that is opened on its own is a document, so it must not run or fetch anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

/** Each content has its own address, which is cached forever; any other one leads to the present content. */
const cacheFor = (isThis: boolean) => (isThis ? 'public, max-age=31536000, immutable' : 'public, max-age=300')

export function pictureAnswer(picture: Picture | null | undefined, v: string | undefined): Answer {
  if (!picture) throw new Refusal('NOT_FOUND', 'There is no such picture.')
  const { bytes, type } = pictureBytes(picture)
  return new Answer(bytes, 200, {
    'content-type': type,
    'content-security-policy': POLICY,
    'cache-control': cacheFor(v === picture.digest),
    'cross-origin-resource-policy': 'cross-origin',
  })
}

export function sheetAnswer(sheet: string, isThis: boolean): Answer {
  return new Answer(sheet, 200, {
    'content-type': 'text/css; charset=utf-8',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'cache-control': cacheFor(isThis),
  })
}
