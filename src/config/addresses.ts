const PARTS = /^(?<scheme>postgres(?:ql)?:\/\/)(?<user>[^/?#]*@)?(?<hosts>[^/?#@]*)(?<rest>.*)$/

/** An address for each host of `postgres://a:5432,b:5432/meta`, without the parameter that only several hosts need. */
export function addressesOf(url: string): readonly string[] {
  const parts = PARTS.exec(url)?.groups
  if (!parts) return [url]
  const { scheme = '', user = '', hosts = '', rest = '' } = parts
  const ofOne = rest.replace(/([?&])target_session_attrs=[^&]*(&|$)/, (_, before: string, after: string) =>
    after === '&' ? before : '',
  )
  return hosts.split(',').map((host) => `${scheme}${user}${host}${ofOne}`)
}
