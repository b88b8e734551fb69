import type { Texts } from './en.ts'
import { console } from './zh/console.ts'
import { front } from './zh/front.ts'
import { inside } from './zh/inside.ts'

/** Every sentence. The pages fetch it by part. */
export const zh: Texts = { ...front, ...inside, ...console }
