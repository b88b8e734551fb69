import { useTexts } from '../../../texts/texts.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'

export interface Created {
  readonly client_id: string
  readonly client_secret?: string | undefined
}

/** The one time that the secret is shown. */
export function Credentials({ created: { client_id, client_secret } }: { readonly created: Created }) {
  const { applications } = useTexts()
  return (
    <Notice look="warning" title={client_secret ? applications.secretTitle : applications.idTitle}>
      <dl className="mt-2 flex flex-col gap-2">
        <Value name={applications.clientId} value={client_id} />
        {client_secret && <Value name={applications.secret} value={client_secret} />}
      </dl>
    </Notice>
  )
}

function Value({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <dt className="text-ink-soft">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-2">
        <code className="break-all">{value}</code>
        <CopyButton text={value} />
      </dd>
    </div>
  )
}
