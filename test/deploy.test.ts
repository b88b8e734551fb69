import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { describe, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import metadata from '../package.json' with { type: 'json' }
import { Compose } from './deploy/compose-schema.ts'
import { Manifest } from './deploy/kubernetes-schema.ts'

const folder = fileURLToPath(new URL('../deploy/', import.meta.url))
const FILES = globSync('**/*', { cwd: folder, withFileTypes: true })
  .filter((one) => one.isFile())
  .map((one) => relative(folder, join(one.parentPath, one.name)))
  .toSorted()

/** Proxies of the service, which itself asks who is calling. */
const IN_FRONT = [
  ...['Caddyfile', 'haproxy.cfg', 'nginx.conf', 'nginx-product.conf', 'traefik.yml', 'haproxy-gatehouse.lua'],
  ...['ha/Caddyfile', 'ha/haproxy.cfg', 'ha/nginx.conf', 'ha/traefik.yml'],
]
/** The service itself, or nothing that listens. */
const OPEN_NO_OTHER = [
  ...['Containerfile', 'alerts.yml', 'dashboard.json', 'settings.schema.json', 'ha/certificates.sh'],
  ...['gatehouse.service', 'gatehouse-backup.service', 'gatehouse-backup.timer'],
  ...['kubernetes/configuration.yaml', 'kubernetes/backup.yaml'],
]

/** What closes the ports that each other file opens. */
const CLOSED: Readonly<Record<string, (text: string) => void>> = {
  'ha/etcd.env': etcdAsksForCertificates,
  'ha/patroni.yml': patroniAsksForPasswords,
  'ha/haproxy-postgres.cfg': listensToThisMachine(/^\s+bind (\S+)/gm),
  'ha/pgbouncer.ini': (text) => {
    listensToThisMachine(/^listen_addr = (\S+)/gm)(text)
    assert.match(text, /^auth_type = scram-sha-256$/m)
  },
  'ha/redis.conf': asksForPassword,
  'ha/sentinel.conf': asksForPassword,
  'compose.yml': composeOpensCaddyAlone,
  'kubernetes/gatehouse.yaml': kubernetesLetsInTwoNamespaces,
}

describe('the files that an operator copies', () => {
  it('131. are all known here, so that none opens a port that nobody has looked at', () => {
    assert.deepEqual([...IN_FRONT, ...OPEN_NO_OTHER, ...Object.keys(CLOSED)].toSorted(), FILES)
  })

  it.each(Object.keys(CLOSED))('131. open no port without authentication: %s', (file) => {
    CLOSED[file]?.(textOf(file))
  })

  it('131. listen to every address nowhere but in the container, and trust nobody by address', () => {
    const everywhere = /\b0\.0\.0\.0\b|\bbind \*|hostPort|hostNetwork|NodePort|\btrust$/m
    const open = FILES.filter((file) => file !== 'Containerfile' && everywhere.test(textOf(file)))

    assert.deepEqual(open, [])
  })
})

describe('deploy/compose.yml', () => {
  const compose = Compose.parse(parse(textOf('compose.yml')))

  it('has only fields of the Compose Specification, and names only what it defines', () => {
    for (const service of Object.values(compose.services)) {
      const networks = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks)
      const volumes = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '')
      const needed = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {})

      assert.deepEqual(
        networks.filter((name) => !(name in compose.networks)),
        [],
      )
      assert.deepEqual(
        volumes.filter((name) => !(name in compose.volumes)),
        [],
      )
      assert.deepEqual(
        (service.configs ?? []).filter(({ source }) => !(source in compose.configs)),
        [],
      )
      assert.deepEqual(
        needed.filter((name) => !(name in compose.services)),
        [],
      )
    }
  })

  it('runs this version, trusts the address of its proxy alone, and asks for the administrator’s address', () => {
    const { gatehouse, caddy } = compose.services
    const { front } = z.object({ front: z.object({ ipv4_address: z.string() }) }).parse(caddy?.networks)

    assert.equal(gatehouse?.image, `localhost/gatehouse:${metadata.version}`)
    assert.equal(gatehouse.environment?.TRUSTED_PROXIES, front.ipv4_address)
    assert.match(gatehouse.environment?.SYSTEM_EMAIL ?? '', /SYSTEM_EMAIL:\?/)
  })

  it('refuses to start without one of the values that docs/deploying.md sets', () => {
    const text = textOf('compose.yml')
    const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name))
    const required = new Set([...text.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name))
    const documented = docs('deploying.md')

    assert.deepEqual(required, used)
    for (const name of used) assert.match(documented, new RegExp(`^${name}=`, 'm'))
  })
})

describe('deploy/kubernetes', () => {
  const files = ['configuration', 'gatehouse', 'backup'].map((name) => `kubernetes/${name}.yaml`)
  const manifests = files.flatMap((file) => parseAllDocuments(textOf(file)).map((one) => Manifest.parse(one.toJS())))
  const only = <K extends Manifest['kind']>(kind: K) => {
    const found = manifests.filter((one): one is Extract<Manifest, { kind: K }> => one.kind === kind)
    assert.equal(found.length, 1, kind)
    return found[0] ?? assert.fail()
  }

  it('has only fields of Kubernetes, and two processes of this version of which one always stays', () => {
    const { spec } = only('Deployment')
    const images = spec.template.spec.containers.map(({ image }) => image)

    assert.equal(spec.replicas, 2)
    assert.equal(only('PodDisruptionBudget').spec.minAvailable, 1)
    assert.deepEqual(images, [`registry.example.com/gatehouse:${metadata.version}`])
  })

  it('restarts only what is not alive, and sends requests only to what is ready', () => {
    const [container] = only('Deployment').spec.template.spec.containers

    assert.equal(container?.startupProbe?.httpGet.path, '/healthz')
    assert.equal(container.livenessProbe?.httpGet.path, '/healthz')
    assert.equal(container.readinessProbe?.httpGet.path, '/readyz')
  })

  it('selects the pods of its Deployment with every selector', () => {
    const { template, selector } = only('Deployment').spec
    const selectors = [
      selector.matchLabels,
      only('Service').spec.selector,
      only('PodDisruptionBudget').spec.selector.matchLabels,
      only('NetworkPolicy').spec.podSelector.matchLabels,
    ]

    for (const one of selectors) assert.deepEqual(one, template.metadata.labels)
  })

  it('names the administrator and the proxies, which the first start needs', () => {
    const { data } = only('ConfigMap')

    assert.ok(data.SYSTEM_EMAIL && data.TRUSTED_PROXIES && data.APP_DOMAIN)
  })

  it('dumps each store of the secret that docs/deploying.md makes, the global one last, and then records it', () => {
    const { initContainers, containers } = only('CronJob').spec.jobTemplate.spec.template.spec
    const [, dumped] = /for store in ([\w ]+);/.exec(initContainers?.[0]?.args[0] ?? '') ?? []
    const stores = [...docs('deploying.md').matchAll(/@postgres\.databases\.svc\/(\w+)/g)].map(([, name]) => name)

    assert.deepEqual(new Set(dumped?.split(' ')), new Set(stores))
    assert.match(dumped ?? '', / meta$/)
    assert.deepEqual(containers[0]?.args, ['backup', '--record'])
  })
})

function etcdAsksForCertificates(text: string): void {
  const values = parseEnv(text)
  const urls = Object.entries(values).filter(([name]) => /_URLS$|_CLUSTER$/.test(name))
  for (const [name, value] of urls) assert.doesNotMatch(value ?? '', /http:/, name)
  for (const kind of ['', 'PEER_']) {
    for (const file of ['CERT_FILE', 'KEY_FILE', 'TRUSTED_CA_FILE'])
      assert.ok(values[`ETCD_${kind}${file}`], kind + file)
    assert.equal(values[`ETCD_${kind}CLIENT_CERT_AUTH`], 'true')
  }
  assert.equal(values.ETCD_PEER_CERT_ALLOWED_HOSTNAME, 'gatehouse-database')
  assert.match(docs('high-availability.md'), /^etcdctl auth enable$/m)
}

const Login = z.looseObject({ username: z.string(), password: z.string().min(1) })
const Patroni = z.looseObject({
  etcd3: z.looseObject({ protocol: z.literal('https'), cacert: z.string(), cert: z.string(), ...Login.shape }),
  restapi: z.looseObject({
    certfile: z.string(),
    cafile: z.string(),
    verify_client: z.literal('required'),
    authentication: Login,
  }),
  bootstrap: z.looseObject({
    dcs: z.looseObject({
      postgresql: z.looseObject({ parameters: z.looseObject({ ssl: z.literal('on'), ssl_cert_file: z.string() }) }),
    }),
  }),
  postgresql: z.looseObject({
    authentication: z.record(z.string(), Login.extend({ sslmode: z.literal('verify-ca'), sslrootcert: z.string() })),
    pg_hba: z.array(z.string().regex(/^local all all peer$|^hostssl .* scram-sha-256$/)),
  }),
})

function patroniAsksForPasswords(text: string): void {
  Patroni.parse(parse(text))
}

function listensToThisMachine(pattern: RegExp) {
  return (text: string) => {
    const addresses = [...text.matchAll(pattern)].map(([, address]) => address)
    assert.ok(addresses.length > 0)
    for (const address of addresses) assert.match(address ?? '', /^127\.0\.0\.1(:|$)/)
  }
}

function asksForPassword(text: string): void {
  assert.match(text, /^requirepass \S+$/m)
  assert.match(text, /^bind /m)
}

function composeOpensCaddyAlone(text: string): void {
  const { services, networks, configs } = Compose.parse(parse(text))
  const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined)
  assert.deepEqual(
    published.map(([name]) => name),
    ['caddy'],
  )
  assert.equal(networks.back?.internal, true)
  assert.ok(services.postgres?.environment?.POSTGRES_PASSWORD)
  asksForPassword(`bind back\n${configs.redis?.content}`)
}

/** Metrics have no password, so the network lets in who may read them. */
function kubernetesLetsInTwoNamespaces(text: string): void {
  const manifests = parseAllDocuments(text).map((one) => Manifest.parse(one.toJS()))
  const policy = manifests.find((one) => one.kind === 'NetworkPolicy')
  const ports = policy?.spec.ingress.flatMap((rule) => rule.ports.map(({ port }) => port))
  const opened = manifests.flatMap((one) => (one.kind === 'Deployment' ? one.spec.template.spec.containers : []))
  assert.deepEqual(
    ports,
    opened.flatMap((container) => (container.ports ?? []).map(({ name }) => name)),
  )
  assert.deepEqual(policy?.spec.policyTypes, ['Ingress'])
}

function textOf(file: string): string {
  return readFileSync(folder + file, 'utf8')
}

function docs(name: string): string {
  return readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')
}
