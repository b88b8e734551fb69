import type { Texts } from './en.ts'
import { console } from './zh/console.ts'
import { front } from './zh/front.ts'
import { inside } from './zh/inside.ts'

/** All texts. The pages fetch them in parts. */
export const zh: Texts = { ...front, ...inside, ...console }
