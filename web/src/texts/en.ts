import { console } from './en/console.ts'
import { front } from './en/front.ts'
import { inside } from './en/inside.ts'

/** Every sentence. The pages fetch it by part. */
export const en = { ...front, ...inside, ...console }

export type Texts = typeof en
