import { console } from './en/console.ts'
import { front } from './en/front.ts'
import { inside } from './en/inside.ts'

/** All texts. The pages fetch them in parts. */
export const en = { ...front, ...inside, ...console }

export type Texts = typeof en
