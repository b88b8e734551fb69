type Values = Readonly<Record<string, string | undefined>>

// Kubernetes describes each service beside a pod in variables named after it: a service `database` is
// DATABASE_SERVICE_HOST, DATABASE_PORT=tcp://…, DATABASE_PORT_5432_TCP_ADDR, and so on.
const NAMES = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/
const ADDRESS = /^(tcp|udp|sctp):\/\/\S+$/

/** The variables that the operator has set, without those that Kubernetes added. */
export function withoutInjected(env: Values): Values {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !isInjected(name, value)))
}

function isInjected(name: string, value = ''): boolean {
  return NAMES.test(name) || (name.endsWith('_PORT') && ADDRESS.test(value))
}
