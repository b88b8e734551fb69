import { z } from 'zod'

/** The fields of the Compose Specification that deploy/compose.yml uses; it refuses every other, misspelt ones too. */

const Names = z.array(z.string())
const Duration = z.string().regex(/^(\d+(ms|s|m|h))+$/)
const Restart = z.enum(['no', 'always', 'on-failure', 'unless-stopped'])
const Mounted = z.strictObject({ source: z.string(), target: z.string().startsWith('/') })
const Image = z.string().regex(/^[a-z.]+\/[a-z/]+:\d+(\.\d+)+$/, 'a registry, a name, and a whole version')
const Started = z.strictObject({ condition: z.enum(['service_started', 'service_healthy']) })

const Service = z.strictObject({
  image: Image,
  pull_policy: z.enum(['always', 'never', 'missing']).optional(),
  restart: Restart,
  stop_grace_period: Duration.optional(),
  read_only: z.boolean().optional(),
  cap_drop: Names.optional(),
  security_opt: Names.optional(),
  shm_size: z.string().optional(),
  command: Names.optional(),
  ports: z.array(z.string().regex(/^\d+:\d+(\/(tcp|udp))?$/)).optional(),
  networks: z.union([Names, z.record(z.string(), z.strictObject({ ipv4_address: z.ipv4() }))]),
  configs: z.array(Mounted).optional(),
  volumes: z.array(z.string().regex(/^[a-z]+:\/[a-z/]+$/)).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  depends_on: z.union([Names, z.record(z.string(), Started)]).optional(),
  healthcheck: z
    .strictObject({
      test: z.tuple([z.enum(['CMD', 'CMD-SHELL'])]).rest(z.string()),
      interval: Duration,
      timeout: Duration,
      retries: z.int(),
    })
    .optional(),
})

const Network = z.strictObject({
  internal: z.boolean().optional(),
  ipam: z.strictObject({ config: z.array(z.strictObject({ subnet: z.cidrv4() })) }).optional(),
})

export const Compose = z.strictObject({
  name: z.string().regex(/^[a-z0-9_-]+$/),
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), Network),
  volumes: z.record(z.string(), z.strictObject({})),
  configs: z.record(z.string(), z.strictObject({ content: z.string() })),
})
export type Compose = z.output<typeof Compose>
