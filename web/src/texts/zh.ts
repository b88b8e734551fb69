import type { Texts } from './en.ts'
import { console } from './zh/console.ts'
import { firstHour } from './zh/first-hour.ts'
import { front } from './zh/front.ts'
import { inside } from './zh/inside.ts'
import { organizations } from './zh/organizations.ts'

/** All texts. The pages fetch them in parts. */
export const zh: Texts = { ...front, ...inside, ...organizations, ...firstHour, ...console }
