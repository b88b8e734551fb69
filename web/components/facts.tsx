import { Avatar } from '../src/ui/facts/avatar.tsx'
import { Badge } from '../src/ui/facts/badge.tsx'
import { FactLine } from '../src/ui/facts/fact-line.tsx'
import { Facts } from '../src/ui/facts/facts.tsx'
import { PersonProse } from '../src/ui/facts/person-text.tsx'
import { PolicyLinks } from '../src/ui/facts/policy-links.tsx'
import { ProviderMark } from '../src/ui/facts/provider-mark.tsx'
import { ScopeList } from '../src/ui/facts/scope-list.tsx'
import { SupportLine } from '../src/ui/facts/support-line.tsx'
import { Time } from '../src/ui/facts/time.tsx'
import { Logo } from '../src/ui/logo.tsx'
import { Part } from './part.tsx'

const scopes = ['account:profile:read', 'operations:feedback:write', 'config:brand:write']
const providers = ['google', 'github', 'gitlab', 'microsoft', 'discord']

export function FactParts() {
  return (
    <div className="grid grid-cols-2 gap-8">
      <Part name="Facts">
        <p className="flex gap-2">
          {(['plain', 'accent', 'warning', 'danger'] as const).map((look) => (
            <Badge key={look} look={look}>
              {look}
            </Badge>
          ))}
        </p>
        <Facts
          facts={[
            ['Name', 'Ann'],
            ['Joined', <Time key="time" at={Date.now()} />],
          ]}
        />
        <FactLine facts={['Chrome on Linux', '203.0.113.7', 'Today']} />
        <ScopeList scopes={scopes} />
      </Part>
      <Part name="People, providers and the operator">
        <p className="flex items-center gap-3">
          <Avatar name="Ann" image={null} /> <Logo /> <Logo size="small" />
          {providers.map((name) => (
            <ProviderMark key={name} preset={name} name={name} />
          ))}
        </p>
        <PersonProse text={'What a person wrote, with a link: https://example.com.\nوسطر بلغة أخرى'} />
        <SupportLine />
        <p className="flex gap-4">
          <PolicyLinks />
        </p>
      </Part>
    </div>
  )
}
