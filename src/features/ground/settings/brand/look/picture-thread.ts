import { parentPort, workerData } from 'node:worker_threads'
import { PNG } from 'image-size/types/png'
import { SVG } from 'image-size/types/svg'
import { isPng, type Judgement } from './picture.ts'

const LONGEST_SIDE = 2048
/** The last chunk, which has no content. */
const PNG_END = Buffer.from('\0\0\0\0IEND\xaeB`\x82', 'latin1')

const SVG_START = /^(?:<\?[^>]*\?>|<!--(?:(?!-->)[\s\S])*-->|<!DOCTYPE[^<>[]*>|\s)*<svg[\s>]/
const SVG_END = /<\/svg\s*>\s*$/

// Copied to memory of its own, because the library also reads past the end of the bytes.
const bytes = Buffer.from(Uint8Array.from(workerData).buffer)
const judgement: Judgement = { fault: faultOf(bytes) }
parentPort?.postMessage(judgement)

function faultOf(bytes: Buffer): string | undefined {
  if (isPng(bytes)) return pngFault(bytes)
  const text = utf8Of(bytes)
  return text !== undefined && SVG_START.test(text) ? svgFault(bytes, text) : 'The image is neither a PNG nor an SVG.'
}

function pngFault(bytes: Buffer): string | undefined {
  const size = sizeOr(() => PNG.validate(bytes) && PNG.calculate(bytes))
  if (!size?.width || !size.height) return 'The PNG is damaged.'
  if (Math.max(size.width, size.height) > LONGEST_SIDE) return `The PNG is wider or higher than ${LONGEST_SIDE} pixels.`
  return bytes.subarray(-PNG_END.length).equals(PNG_END) ? undefined : 'The PNG is cut off, or has data behind its end.'
}

/** Browsers show it only as a picture, in which nothing runs and nothing is fetched, so its content is not judged. */
function svgFault(bytes: Buffer, text: string): string | undefined {
  if (!SVG_END.test(text)) return 'The SVG is cut off, or has something behind its end.'
  return sizeOr(() => SVG.calculate(bytes))
    ? undefined
    : 'The SVG does not say how large it is: give it a viewBox, or a width and a height.'
}

/** Undefined if the library cannot read it. */
function sizeOr<Size>(read: () => Size | false): Size | undefined {
  try {
    return read() || undefined
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return undefined
    throw error
  }
}

function utf8Of(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
