import { useClientConfig } from '../server/session.ts'
import { Logo } from '../ui/logo.tsx'

export function Brand() {
  const { app_name } = useClientConfig()
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <Logo size="small" />
      <bdi className="truncate font-semibold tracking-[-0.015em]">{app_name}</bdi>
    </span>
  )
}
