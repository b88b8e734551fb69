import { environment } from '../../config/config.ts'
import { type Examination, examine } from '../doctor/examine.ts'
import { columns } from './columns.ts'
import { readArguments } from './program/arguments.ts'
import { print, printJson } from './program/output.ts'

export async function runDoctor(argv: readonly string[]): Promise<number> {
  const { flags } = readArguments(argv, [], { json: { type: 'boolean' } })

  const examination = await examine(environment(), Date.now)

  if (flags.json) printJson(examination)
  else print(inWords(examination))
  return examination.isSound ? 0 : 1
}

function inWords({ version, values, findings }: Examination): string {
  const valueLines = values.map(({ name, value, source }) => [name, value ?? '-', `(${source})`])
  const findingLines = findings.map(({ verdict, about, words }) => [verdict, about, words])
  const wrongs = findings.filter(({ verdict }) => verdict === 'wrong').length
  const verdict =
    wrongs === 0 ? 'Nothing is wrong.' : wrongs === 1 ? 'One thing is wrong.' : `${wrongs} things are wrong.`
  return [`Gatehouse ${version}`, '', ...columns(valueLines), '', ...columns(findingLines), '', verdict]
    .join('\n')
    .trim()
}
