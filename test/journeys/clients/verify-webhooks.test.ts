import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { findExecutable } from '../../processes/executable.ts'
import { people } from '../../service/people.ts'
import { startProduct } from '../../service/product.ts'
import { startService } from '../../service/service.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const text = readFileSync(join(root, 'docs/events.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-verify-'))

/** A delivery for a product to verify; a program gets it as a file. */
interface Delivery {
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function codeIn(language: string): string {
  const [, code] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(text) ?? []
  return code ?? assert.fail(`docs/events.md has no ${language}`)
}

const TYPESCRIPT = () => {
  const [imports = '', ...rest] = codeIn('ts').split('\n')
  return `${imports}
import { readFileSync } from 'node:fs'
const { secret, headers, body: rawBody } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
process.env.ENDPOINT_SECRET = secret
try {${rest.join('\n')}
console.log('good', event.type)
} catch { console.log('bad') }`
}

const PYTHON = () => `${codeIn('python')}
import json, sys
one = json.load(open(sys.argv[1]))
print("good" if verify(one["secret"], one["headers"], one["body"].encode()) else "bad")`

const PHP = () => `<?php
${codeIn('php')}
$one = json_decode(file_get_contents($argv[1]), true);
echo verify($one['secret'], $one['headers'], $one['body']) ? 'good' : 'bad';`

const GO = () => `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

${codeIn('go')}
func main() {
	var one struct {
		Secret, Body string
		Headers      map[string]string
	}
	text, _ := os.ReadFile(os.Args[1])
	if err := json.Unmarshal(text, &one); err != nil {
		panic(err)
	}
	header := http.Header{}
	for name, value := range one.Headers {
		header.Set(name, value)
	}
	if verify(one.Secret, header, []byte(one.Body)) {
		fmt.Print("good")
	} else {
		fmt.Print("bad")
	}
}`

const LANGUAGES = [
  { name: 'TypeScript', command: process.execPath, args: [], file: 'verify.ts', code: TYPESCRIPT },
  { name: 'Python', command: findExecutable('python3'), args: [], file: 'verify.py', code: PYTHON },
  { name: 'PHP', command: findExecutable('php'), args: [], file: 'verify.php', code: PHP },
  { name: 'Go', command: findExecutable('go'), args: ['run'], file: 'verify.go', code: GO },
]

let deliveries: readonly (readonly [string, Delivery])[]

beforeAll(async () => {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  await using service = await startService({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } })
  await using product = await startProduct()
  const { administrator } = await people(service)
  const { body: made } = await administrator.post('/api/admin/create_webhook', {
    url: product.url,
    types: ['notification.published'],
  })
  const send = async (time: number) => {
    service.clock.advance({ milliseconds: time - service.clock.now() })
    await administrator.signIn()
    await administrator.post('/api/admin/create_notification', { title: 'Grüße 🚣', content: 'C' })
    await service.runJob('events')
    await service.runJob('webhooks')
    return product.got.at(-1) ?? assert.fail()
  }
  const old = await send(Date.now() - 6 * 60_000)
  const { body: rotated } = await administrator.post('/api/admin/rotate_webhook_secret', { id: made.id })
  const sent = await send(Date.now())
  deliveries = [
    ['good', { ...sent, secret: rotated.secret }],
    ['good', { ...sent, secret: made.secret }],
    ['bad', { ...sent, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }],
    ['bad', { ...sent, secret: rotated.secret, body: `${sent.body} ` }],
    ['bad', { ...old, secret: made.secret }],
  ]
})

afterAll(() => rmSync(folder, { recursive: true }))

describe('docs/events.md shows how to verify a delivery', () => {
  for (const { name, command = '', args, file, code } of LANGUAGES)
    it.skipIf(command === '')(`in ${name} (needs ${name})`, () => {
      const program = join(folder, file)
      writeFileSync(program, code())

      const said = deliveries.map(([, delivery], i) => {
        const given = join(folder, `${i}.json`)
        writeFileSync(given, JSON.stringify(delivery))
        const { stdout, stderr } = spawnSync(command, [...args, program, given], {
          encoding: 'utf8',
          env: { PATH: process.env.PATH, GOCACHE: join(folder, 'go') },
        })
        return stdout.trim().split(' ')[0] || stderr
      })

      assert.deepEqual(
        said,
        deliveries.map(([expected]) => expected),
      )
    })
})
