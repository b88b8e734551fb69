import { inflateSync } from 'node:zlib'

interface Header {
  readonly width: number
  readonly height: number
  readonly colour: number
  readonly bitsPerPixel: number
  readonly isInterlaced: boolean
}

/** By colour type: how many parts a pixel has, and the depths that each can have. */
const COLOURS: ReadonlyMap<number, { readonly parts: number; readonly depths: readonly number[] }> = new Map([
  [0, { parts: 1, depths: [1, 2, 4, 8, 16] }],
  [2, { parts: 3, depths: [8, 16] }],
  [3, { parts: 1, depths: [1, 2, 4, 8] }],
  [4, { parts: 2, depths: [8, 16] }],
  [6, { parts: 4, depths: [8, 16] }],
])

/** Some encoders put a few bytes after the last pixel, which every reader ignores. */
const MOST_SPARE_BYTES = 65_536
const LAST_FILTER = 4

/** Undefined if the PNG standard has no such picture. */
export function headerOf(data: Buffer): Header | undefined {
  if (data.length !== 13) return undefined
  const [depth = 0, colour = 0, compression, filter, interlace = 0] = data.subarray(8)
  const known = COLOURS.get(colour)
  if (!known?.depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1) return undefined
  return {
    width: data.readUInt32BE(0),
    height: data.readUInt32BE(4),
    colour,
    bitsPerPixel: known.parts * depth,
    isInterlaced: interlace === 1,
  }
}

/** Whether the compressed data has every line of the picture, each of a known filter. */
export function hasWholePixels(header: Header, compressed: Buffer): boolean {
  const passes = passesOf(header)
  const whole = passes.reduce((sum, { lines, lineBytes }) => sum + lines * lineBytes, 0)
  const pixels = inflated(compressed, whole + MOST_SPARE_BYTES)
  if (!pixels || pixels.length < whole) return false
  let at = 0
  for (const { lines, lineBytes } of passes) {
    for (let line = 0; line < lines; line += 1, at += lineBytes) {
      if ((pixels[at] ?? 0) > LAST_FILTER) return false
    }
  }
  return true
}

/** Where each pass of an interlaced picture begins, and its steps. */
const INTERLACED = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

function passesOf({ width, height, bitsPerPixel, isInterlaced }: Header) {
  const passes = isInterlaced ? INTERLACED : ([[0, 0, 1, 1]] as const)
  return passes.flatMap(([left, top, right, down]) => {
    const columns = Math.ceil((width - left) / right)
    const lines = Math.ceil((height - top) / down)
    // A line begins with the number of its filter.
    const lineBytes = 1 + Math.ceil((columns * bitsPerPixel) / 8)
    return columns > 0 && lines > 0 ? [{ lines, lineBytes }] : []
  })
}

function inflated(compressed: Buffer, mostBytes: number): Buffer | undefined {
  try {
    return inflateSync(compressed, { maxOutputLength: mostBytes })
  } catch {
    return undefined
  }
}
