const BEGIN = '<!-- results: written by npm run bench -->'
const END = '<!-- end of results -->'

/** The page with this between its two marks; everything else is written by people. */
export function between(page: string, generated: string): string {
  const [before = '', rest = ''] = page.split(BEGIN)
  const after = rest.split(END)[1] ?? ''
  return `${before}${BEGIN}\n\n${generated}\n\n${END}${after}`
}
