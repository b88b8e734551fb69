const CONTINENTS: ReadonlyMap<string, string> = new Map([
  ['AF', 'Africa'],
  ['AN', 'Antarctica'],
  ['AS', 'Asia'],
  ['EU', 'Europe'],
  ['NA', 'North America'],
  ['OC', 'Oceania'],
  ['SA', 'South America'],
])

/** As precise as a trusted front reports it; undefined if it does not. */
export function continentName(continent: string | undefined): string | undefined {
  return CONTINENTS.get(continent ?? '')
}
