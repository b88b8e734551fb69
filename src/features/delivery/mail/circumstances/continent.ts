import type { Language } from '../../../ground/settings/brand/input.ts'

const CONTINENTS: ReadonlyMap<string, Readonly<Record<Language, string>>> = new Map([
  ['AF', { en: 'Africa', zh: '非洲' }],
  ['AN', { en: 'Antarctica', zh: '南极洲' }],
  ['AS', { en: 'Asia', zh: '亚洲' }],
  ['EU', { en: 'Europe', zh: '欧洲' }],
  ['NA', { en: 'North America', zh: '北美洲' }],
  ['OC', { en: 'Oceania', zh: '大洋洲' }],
  ['SA', { en: 'South America', zh: '南美洲' }],
])

/** Undefined if no trusted proxy reports it. The API has English names. */
export function continentName(continent: string | undefined, language: Language = 'en'): string | undefined {
  return CONTINENTS.get(continent ?? '')?.[language]
}
