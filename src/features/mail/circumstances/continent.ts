const CONTINENTS: ReadonlyMap<string, string> = new Map([
  ['AF', 'Africa'],
  ['AN', 'Antarctica'],
  ['AS', 'Asia'],
  ['EU', 'Europe'],
  ['NA', 'North America'],
  ['OC', 'Oceania'],
  ['SA', 'South America'],
])

/** Undefined if no trusted proxy reports it. */
export function continentName(continent: string | undefined): string | undefined {
  return CONTINENTS.get(continent ?? '')
}
