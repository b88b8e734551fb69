import { useDevice, usePlace } from '../../../device.ts'
import { useAct } from '../../../server/act.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { FactLine } from '../../../ui/facts/fact-line.tsx'
import { Ago } from '../../../ui/facts/time.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import { type SecurityOverview, securityQuery } from '../queries.ts'

export function TrustedDevices({ held }: { readonly held: SecurityOverview }) {
  const { security } = useTexts()
  return (
    <Card title={security.trusted} lead={security.trustedLead}>
      {held.trustedDevices.length === 0 && <p className="text-ink-soft">{security.noTrusted}</p>}
      <ul className="-my-3 divide-y divide-line empty:hidden">
        {held.trustedDevices.map((device) => (
          <DeviceRow key={device.id} device={device} />
        ))}
      </ul>
    </Card>
  )
}

function DeviceRow({ device }: { readonly device: SecurityOverview['trustedDevices'][number] }) {
  const { security, sessions } = useTexts()
  const name = useDevice()(device.userAgent)
  const place = usePlace()
  const end = useAct({
    act: () => call('/api/auth/two-factor/revoke-trusted-device', { id: device.id }),
    done: security.untrusted,
    refreshes: [securityQuery.queryKey],
  })
  const facts = [<Ago key="used" at={device.lastUsedAt} words={security.used} />, place(device.place), device.ipAddress]
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-4">
      <div className="min-w-40">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name}
          {device.isCurrent && <Badge look="accent">{sessions.current}</Badge>}
        </p>
        <FactLine facts={facts} />
      </div>
      <Button size="small" look="warn" isPending={end.isPending} onPress={() => end.mutate()}>
        {security.untrust}
      </Button>
      <Failure error={end.error} />
    </li>
  )
}
