import { commonTexts } from './front/common.ts'
import { entryTexts } from './front/entry.ts'
import { failuresTexts } from './front/failures.ts'

export const front = { ...commonTexts, ...entryTexts, ...failuresTexts }
