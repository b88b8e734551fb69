import { useClientConfig } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { textLinkClass } from '../../../ui/controls/text-link.tsx'
import { intoView } from '../../../ui/messages/into-view.ts'
import { Notice } from '../../../ui/messages/notice.tsx'

export interface Created {
  readonly client_id: string
  readonly client_secret?: string | undefined
}

/** Shows the secret, which happens only once. */
export function Credentials({ created: { client_id, client_secret } }: { readonly created: Created }) {
  const { applications, config } = useTexts()
  const { public_url } = useClientConfig()
  return (
    <div key={client_secret} ref={intoView} className="scroll-my-4">
      <Notice look="warning" title={client_secret ? applications.secretTitle : applications.idTitle}>
        <dl className="mt-2 flex flex-col gap-2">
          <Value name={config.clientId} value={client_id} />
          {client_secret && <Value name={config.clientSecret} value={client_secret} />}
          <Value name={applications.discovery} value={`${public_url}/.well-known/openid-configuration`} />
        </dl>
        <p className="mt-3">
          {applications.credentialsText} {/* Opens in another tab, because the secret would be gone with this page. */}
          <a href="/console/connect#openid" target="_blank" rel="noopener" className={textLinkClass}>
            {applications.connect}
          </a>
        </p>
      </Notice>
    </div>
  )
}

function Value({ name, value }: { readonly name: string; readonly value: string }) {
  const { connecting } = useTexts()
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <dt className="text-ink-soft">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-2">
        <code className="break-all">{value}</code>
        <CopyButton text={value} label={connecting.copy(name)} />
      </dd>
    </div>
  )
}
