import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { Select } from '../../ui/controls/select.tsx'
import { Notice } from '../../ui/messages/notice.tsx'
import { shardsQuery } from './queries.ts'
import { Snippet } from './snippet.tsx'

/** The line and the command that add a shard: only the host can do it, once every process has the new value. */
export function NewShard() {
  const { shards } = useTexts()
  const { data } = useQuery(shardsQuery)
  const [chosen, setChosen] = useState<string>()
  if (!data) return null
  const { configured, unused, items } = data
  const regions = [...new Set(items.map(({ region }) => region))]
  const region = chosen ?? regions[0] ?? 'apac'
  const next = nextIn(region, configured)
  return (
    <Card title={shards.addTitle} lead={shards.addLead}>
      <div className="flex flex-col gap-5">
        {unused.map((id) => (
          <Notice key={id} look="info" title={shards.unused(id)}>
            <Snippet name={shards.command} code={`gatehouse shards add ${id}`} />
          </Notice>
        ))}
        <div className="max-w-60">
          <Select
            label={shards.region}
            value={region}
            options={Object.fromEntries(regions.map((one) => [one, one]))}
            onChange={setChosen}
          />
        </div>
        <Step
          words={shards.addLine(next.id)}
          name={shards.line}
          code={`SHARDS=${configured},${next.id}:${region}=${next.place}`}
        />
        <Step words={shards.addCommand} name={shards.command} code={`gatehouse shards add ${next.id}`} />
      </div>
    </Card>
  )
}

function Step({ words, name, code }: { readonly words: string; readonly name: string; readonly code: string }) {
  return (
    <div className="flex flex-col gap-2">
      <p>{words}</p>
      <Snippet name={name} code={code} />
    </div>
  )
}

/** The next number of the region, beside the last shard: a file in its folder, or a database on its server. */
function nextIn(region: string, configured: string): { readonly id: string; readonly place: string } {
  const known = configured.split(/,(?=[a-z0-9-]+:[a-z0-9-]+=)/).map((shard) => {
    const [, id = '', of = '', places = ''] = /^([^:]+):([^=]+)=(.*)$/.exec(shard) ?? []
    return { id, of, place: places.split('|')[0] ?? '' }
  })
  const taken = new Set(known.map(({ id }) => id))
  let number = 1
  while (taken.has(`${region}-${number}`)) number += 1
  const id = `${region}-${number}`
  const neighbour = known.findLast(({ of }) => of === region) ?? known.at(-1)
  const place = neighbour?.place ?? ''
  const isFile = !place.includes('://')
  return { id, place: isFile ? place.replace(/[^/]+$/, `${id}.sqlite`) : place.replace(/\/[^/?]*(\?|$)/, `/${id}$1`) }
}
