import { takesForm, takesQuery } from '../requests/form.ts'
import { describedOf, type Route } from '../route.ts'
import { queryOf } from './curl.ts'
import { inputSample } from './samples.ts'

/** The same request as `curlOf`, by `fetch`. */
export function typescriptOf(route: Route, baseUrl: string): string {
  const { address, body, headers } = requestOf(route, baseUrl)
  const sent = [
    ...(route.method === 'GET' ? [] : [`  method: '${route.method}',`]),
    ...(headers.length > 0
      ? ['  headers: {', ...headers.map(({ name, ofTypeScript }) => `    ${name}: ${ofTypeScript},`), '  },']
      : []),
    ...(body === undefined ? [] : [`  body: ${bodyInTypeScript(route, body)},`]),
  ]
  const options = sent.length > 0 ? `, {\n${sent.join('\n')}\n}` : ''
  return `const response = await fetch('${address}'${options})\nconsole.log(response.status, await response.text())`
}

function bodyInTypeScript(route: Route, body: unknown): string {
  const written = literal(body, { true: 'true', false: 'false', null: 'null' })
  return takesForm(route) ? `new URLSearchParams(${written})` : `JSON.stringify(${written})`
}

/** The same request with the library `requests`. */
export function pythonOf(route: Route, baseUrl: string): string {
  const { address, body, headers } = requestOf(route, baseUrl)
  const named = headers.flatMap(({ name, ofPython }) => (ofPython ? [`${quoted(name)}: ${ofPython}`] : []))
  const sent = [
    `    '${address}',`,
    ...(named.length > 0 ? [`    headers={${named.join(', ')}},`] : []),
    ...(describedOf(route).credential === 'of an application' ? ['    auth=(client_id, client_secret),'] : []),
    ...(body === undefined
      ? []
      : [
          `    ${takesForm(route) ? 'data' : 'json'}=${literal(body, { true: 'True', false: 'False', null: 'None' })},`,
        ]),
  ]
  const verb = route.method.toLowerCase()
  return `import requests\n\nresponse = requests.${verb}(\n${sent.join('\n')}\n)\nprint(response.status_code, response.text)`
}

function requestOf(route: Route, baseUrl: string) {
  const input = inputSample(route)
  const { credential } = describedOf(route)
  const address = `${baseUrl}${route.path}${takesQuery(route) ? queryOf(input) : ''}`
  const body = takesQuery(route) ? undefined : input
  const headers = [
    ...(route.access !== 'public' || credential === 'required'
      ? [{ name: 'authorization', ofTypeScript: `'Bearer ' + token`, ofPython: `f'Bearer {token}'` }]
      : []),
    ...(credential === 'of an application'
      ? [{ name: 'authorization', ofTypeScript: `'Basic ' + btoa(clientId + ':' + clientSecret)`, ofPython: undefined }]
      : []),
    ...(body !== undefined && !takesForm(route)
      ? [{ name: `'content-type'`, ofTypeScript: `'application/json'`, ofPython: undefined }]
      : []),
  ]
  return { address, body, headers }
}

interface Words {
  readonly true: string
  readonly false: string
  readonly null: string
}

/** A value as the language writes it. Names are quoted in Python only. */
function literal(value: unknown, words: Words): string {
  if (value === null || value === undefined) return words.null
  if (typeof value === 'boolean') return value ? words.true : words.false
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, words)).join(', ')}]`
  if (typeof value !== 'object') return String(value)
  const isPython = words.true === 'True'
  const fields = Object.entries(value).map(
    ([name, one]) => `${isPython || !/^\w+$/.test(name) ? quoted(name) : name}: ${literal(one, words)}`,
  )
  return fields.length === 0 ? '{}' : isPython ? `{${fields.join(', ')}}` : `{ ${fields.join(', ')} }`
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
