import { useState } from 'react'
import { useSearchParams } from '../../../routing/router.tsx'
import { useClientConfig } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import type { Application } from '../queries.ts'
import { Snippet } from '../snippet.tsx'
import { codeFor, envOf } from './connecting-code.ts'
import { type PurposeName, purposeNamed, purposesOf } from './purposes.ts'

interface Props {
  readonly application: Application
  /** Known only just after it was made. */
  readonly secret: string | undefined
}

/** The application's ids, the lines for its environment, and the code for what it is. */
export function Connecting({ application, secret }: Props) {
  const { applications, config } = useTexts()
  const { public_url: issuer } = useClientConfig()
  const { client_id, kind } = application
  const connection = { ...application, issuer, client_secret: secret }
  return (
    <Card title={applications.connecting} action={<Badge>{applications.kinds[kind]}</Badge>}>
      <div className="flex flex-col gap-5">
        <dl className="flex flex-col gap-3">
          <Value name={config.clientId} value={client_id} />
          <Value name={applications.issuer} value={issuer} />
          <Value name={applications.discovery} value={`${issuer}/.well-known/openid-configuration`} />
        </dl>
        <Block name=".env" code={envOf(connection)} />
        {application.origin === 'administrator' && <Codes connection={connection} />}
      </div>
    </Card>
  )
}

function Codes({ connection }: { readonly connection: Parameters<(typeof codeFor)['other']>[0] }) {
  const { applications } = useTexts()
  const [search] = useSearchParams()
  const names = purposesOf(connection.kind)
  const asked = purposeNamed(search.get('for'))
  const [chosen, choose] = useState(names.find((name) => name === asked) ?? names[0])
  if (chosen === undefined) return null
  const options = Object.fromEntries(names.map((name) => [name, applications.codes[name]]))
  return (
    <div className="flex flex-col gap-3">
      {names.length > 1 && (
        <Segments<string>
          label={applications.code}
          value={chosen}
          options={options}
          onChange={(name) => choose(purposeNamed(name))}
        />
      )}
      <Block name={applications.codes[chosen satisfies PurposeName]} code={codeFor[chosen](connection)} />
    </div>
  )
}

function Block({ name, code }: { readonly name: string; readonly code: string }) {
  return (
    <div>
      <h3 className="mb-1.5 font-medium text-small">{name}</h3>
      <Snippet name={name} code={code} />
    </div>
  )
}

function Value({ name, value }: { readonly name: string; readonly value: string }) {
  const { connecting } = useTexts()
  return (
    <div>
      <dt className="font-medium text-small">{name}</dt>
      <dd className="mt-1 flex min-w-0 items-center gap-2">
        <code className="min-w-0 grow truncate rounded-md bg-sunken/60 px-2.5 py-1.5 text-tiny" title={value}>
          {value}
        </code>
        <CopyButton text={value} label={connecting.copy(name)} />
      </dd>
    </div>
  )
}
