export function urlOf(server: string, path: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(path, server)
  url.hash = ''
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}
