import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Exchange } from '../exchange.ts'
import { Answer } from './answer.ts'

/** In order of preference. */
const ENCODINGS = ['br', 'gzip'] as const
type Encoding = (typeof ENCODINGS)[number]
type Bytes = Buffer<ArrayBuffer>

/** A body sent from memory, as often as it is requested. */
export interface SentFile {
  readonly type: string
  readonly plain: Bytes
  readonly tag: string
  /** Made by the build, or on the first request, then kept. */
  readonly compressed: Map<Encoding, Promise<Bytes>>
}

/** A start makes hundreds of them, most of which nobody requests: the tag is made when it is needed. */
export function fileOf(plain: Bytes, type: string): SentFile {
  let known: string | undefined
  return {
    type,
    plain,
    get tag() {
      known ??= `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
      return known
    },
    compressed: new Map(),
  }
}

export async function answerFile(
  exchange: Exchange,
  file: SentFile,
  cacheControl: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const common = { ...headers, 'cache-control': cacheControl, etag: file.tag, vary: 'accept-encoding' }
  if (hasCopy(exchange, file)) return new Answer(null, 304, common)
  const encoding = isText(file.type) ? encodingFor(exchange) : undefined
  if (!encoding) return new Answer(file.plain, 200, { ...common, 'content-type': file.type })
  const compressed = file.compressed.get(encoding) ?? COMPRESS[encoding](file.plain)
  file.compressed.set(encoding, compressed)
  const sent = { ...common, 'content-type': file.type, 'content-encoding': encoding }
  return new Answer(await compressed, 200, sent)
}

/** A proxy that compresses makes the tag a weak one. */
function hasCopy(exchange: Exchange, { tag }: SentFile): boolean {
  const tags = exchange.header('if-none-match')?.split(',') ?? []
  return tags.some((one) => one.trim().replace(/^W\//, '') === tag)
}

function encodingFor(exchange: Exchange): Encoding | undefined {
  const accepted = exchange.header('accept-encoding')?.split(',') ?? []
  const names = accepted
    .map((one) => one.trim().split(/\s*;\s*q=/))
    .filter(([, quality = '1']) => Number(quality) > 0)
    .map(([name]) => name)
  return ENCODINGS.find((encoding) => names.includes(encoding))
}

const COMPRESS = {
  br: async (plain) => copied(await brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })),
  gzip: async (plain) => copied(await promisify(gzip)(plain, { level: 9 })),
} satisfies Record<Encoding, (plain: Bytes) => Promise<Bytes>>

const brotli = promisify(brotliCompress)

function copied(bytes: Buffer): Bytes {
  return Buffer.from(bytes)
}

function isText(type: string): boolean {
  return /^text\/|svg|json/.test(type)
}
