import { useDevice, usePlace } from '../../../device.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { ActButton } from '../../../ui/controls/act-button.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { FactLine } from '../../../ui/facts/fact-line.tsx'
import { Ago } from '../../../ui/facts/time.tsx'
import { Rows } from '../../../ui/lists/rows.tsx'
import { type SecurityOverview, securityQuery } from '../queries.ts'

export function TrustedDevices({ held }: { readonly held: SecurityOverview }) {
  const { security } = useTexts()
  return (
    <Card title={security.trusted} lead={security.trustedLead}>
      <Rows
        items={held.trustedDevices}
        none={security.noTrusted}
        keyOf={({ id }) => id}
        className="flex flex-wrap items-center justify-between gap-3 py-4"
      >
        {(device) => <Device device={device} />}
      </Rows>
    </Card>
  )
}

function Device({ device }: { readonly device: SecurityOverview['trustedDevices'][number] }) {
  const { security, sessions } = useTexts()
  const name = useDevice()(device.userAgent)
  const place = usePlace()
  const facts = [<Ago key="used" at={device.lastUsedAt} words={security.used} />, place(device.place), device.ipAddress]
  return (
    <>
      <div className="min-w-40">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name}
          {device.isCurrent && <Badge look="accent">{sessions.current}</Badge>}
        </p>
        <FactLine facts={facts} />
      </div>
      <ActButton
        size="small"
        look="warn"
        label={security.untrust}
        act={() => call('/api/auth/two-factor/revoke-trusted-device', { id: device.id })}
        done={security.untrusted}
        refreshes={[securityQuery.queryKey]}
      />
    </>
  )
}
