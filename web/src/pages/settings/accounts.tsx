import { useQuery } from '@tanstack/react-query'
import { useClientConfig } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { Badge } from '../../ui/facts/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { ProviderFailure } from '../entry/provider-failure.tsx'
import { ProviderWay, Way } from './provider-way.tsx'
import { accountsQuery } from './queries.ts'

export function Accounts() {
  const { accounts: texts, settings } = useTexts()
  const { providers } = useClientConfig()
  const accounts = useQuery(accountsQuery)

  return (
    <Card title={settings.accounts} lead={texts.lead}>
      <ProviderFailure />
      <Loaded query={accounts}>
        {(held) => {
          const accountAt = (id: string) => held.find(({ providerId }) => providerId === id)
          const password = accountAt('credential')
          const isOnly = held.length === 1
          return (
            <ul className="-my-3 divide-y divide-line">
              {password && (
                <Way mark={<Icon name="mail" />} name={texts.credential} account={password}>
                  {isOnly && <Badge>{texts.lastOne}</Badge>}
                </Way>
              )}
              {providers.map((provider) => (
                <ProviderWay key={provider.id} provider={provider} account={accountAt(provider.id)} isOnly={isOnly} />
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Card>
  )
}
