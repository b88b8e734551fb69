const CONTINENTS: ReadonlyMap<string, string> = new Map([
  ['AF', 'Africa'],
  ['AN', 'Antarctica'],
  ['AS', 'Asia'],
  ['EU', 'Europe'],
  ['NA', 'North America'],
  ['OC', 'Oceania'],
  ['SA', 'South America'],
])

/** As near as a trusted front tells; undefined where it does not. */
export function placeInWords(continent: string | undefined): string | undefined {
  return CONTINENTS.get(continent ?? '')
}
