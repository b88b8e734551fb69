import { ownCode, startThread } from '../../../../../config/own-files.ts'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const PATIENCE_MILLISECONDS = 2_000

export interface Judgement {
  readonly fault: string | undefined
}

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)
}

/** Finds the fault of a picture. A file made to be slow to read delays only its own thread, which is then ended. */
export function pictureFault(bytes: Buffer): Promise<string | undefined> {
  const worker = startThread(ownCode('./picture-thread', import.meta.url), bytes)
  let late: NodeJS.Timeout | undefined
  const judged = new Promise<string | undefined>((resolve, reject) => {
    worker.once('message', ({ fault }: Judgement) => resolve(fault))
    worker.once('error', reject)
    worker.once('online', () => {
      late = setTimeout(() => resolve('The image takes too long to read.'), PATIENCE_MILLISECONDS)
    })
  })
  return judged.finally(async () => {
    clearTimeout(late)
    await worker.terminate()
  })
}
