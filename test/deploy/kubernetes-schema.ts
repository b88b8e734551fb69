import { z } from 'zod'

/**
 * The fields of Kubernetes 1.35 that deploy/kubernetes uses; it refuses every other. The server ignores a field that it
 * does not know, so a misspelt probe would be no probe.
 */

const Labels = z.record(z.string().regex(/^([a-z0-9.-]+\/)?[a-z0-9.-]+$/), z.string().max(63))
const Selector = z.strictObject({ matchLabels: Labels })
const Name = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
const Metadata = z.strictObject({ name: Name, labels: Labels.optional() })
const Port = z.union([z.int().min(1).max(65_535), Name])
const Quantity = z.string().regex(/^\d+(m|Mi|Gi)?$/)
const Reference = z.strictObject({ name: Name })
const Version = z.string().regex(/:\d+(\.\d+)+$/, 'a whole version')

const Probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string().startsWith('/'), port: Port }),
  periodSeconds: z.int().optional(),
  timeoutSeconds: z.int().optional(),
  failureThreshold: z.int().optional(),
})

const Variable = z.strictObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z.strictObject({ secretKeyRef: z.strictObject({ name: Name, key: z.string() }) }).optional(),
})

const Container = z.strictObject({
  name: Name,
  image: Version,
  command: z.array(z.string()).optional(),
  args: z.array(z.string()),
  envFrom: z.array(z.strictObject({ configMapRef: Reference.optional(), secretRef: Reference.optional() })).optional(),
  env: z.array(Variable).optional(),
  ports: z.array(z.strictObject({ name: Name, containerPort: z.int() })).optional(),
  startupProbe: Probe.optional(),
  livenessProbe: Probe.optional(),
  readinessProbe: Probe.optional(),
  resources: z
    .strictObject({ requests: z.record(z.string(), Quantity), limits: z.record(z.string(), Quantity) })
    .optional(),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(
    z.strictObject({ name: Name, mountPath: z.string().startsWith('/'), readOnly: z.boolean().optional() }),
  ),
})

const Volume = z.strictObject({
  name: Name,
  emptyDir: z.strictObject({}).optional(),
  configMap: Reference.optional(),
  persistentVolumeClaim: z.strictObject({ claimName: Name }).optional(),
})

const Pod = z.strictObject({
  metadata: z.strictObject({ labels: Labels }),
  spec: z.strictObject({
    automountServiceAccountToken: z.literal(false),
    terminationGracePeriodSeconds: z.int().optional(),
    restartPolicy: z.enum(['Always', 'OnFailure', 'Never']).optional(),
    topologySpreadConstraints: z
      .array(
        z.strictObject({
          maxSkew: z.int(),
          topologyKey: z.string(),
          whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
          labelSelector: Selector,
        }),
      )
      .optional(),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.int(),
      runAsGroup: z.int(),
      fsGroup: z.int(),
      seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
    }),
    initContainers: z.array(Container).optional(),
    containers: z.array(Container),
    volumes: z.array(Volume),
  }),
})

const kind = <T extends string, S extends z.ZodRawShape>(apiVersion: string, name: T, rest: S) =>
  z.strictObject({ apiVersion: z.literal(apiVersion), kind: z.literal(name), metadata: Metadata, ...rest })

export const Manifest = z.discriminatedUnion('kind', [
  kind('v1', 'ConfigMap', { data: z.record(z.string(), z.string()) }),
  kind('apps/v1', 'Deployment', {
    spec: z.strictObject({
      replicas: z.int(),
      strategy: z.strictObject({
        type: z.literal('RollingUpdate'),
        rollingUpdate: z.strictObject({ maxSurge: z.int(), maxUnavailable: z.int() }),
      }),
      minReadySeconds: z.int(),
      selector: Selector,
      template: Pod,
    }),
  }),
  kind('v1', 'Service', {
    spec: z.strictObject({
      selector: Labels,
      ports: z.array(z.strictObject({ name: Name, port: z.int(), targetPort: Port })),
    }),
  }),
  kind('policy/v1', 'PodDisruptionBudget', { spec: z.strictObject({ minAvailable: z.int(), selector: Selector }) }),
  kind('networking.k8s.io/v1', 'NetworkPolicy', {
    spec: z.strictObject({
      podSelector: Selector,
      policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
      ingress: z.array(
        z.strictObject({
          from: z.array(z.strictObject({ namespaceSelector: Selector })).min(1),
          ports: z.array(z.strictObject({ protocol: z.enum(['TCP', 'UDP']), port: Port })).min(1),
        }),
      ),
    }),
  }),
  kind('gateway.networking.k8s.io/v1', 'HTTPRoute', {
    spec: z.strictObject({
      parentRefs: z.array(z.strictObject({ name: Name, namespace: Name })),
      hostnames: z.array(z.string()),
      rules: z.array(
        z.strictObject({
          filters: z.array(
            z.strictObject({
              type: z.literal('RequestHeaderModifier'),
              requestHeaderModifier: z.strictObject({ remove: z.array(z.string()) }),
            }),
          ),
          backendRefs: z.array(z.strictObject({ name: Name, port: z.int() })),
        }),
      ),
    }),
  }),
  kind('v1', 'PersistentVolumeClaim', {
    spec: z.strictObject({
      accessModes: z.array(z.enum(['ReadWriteOnce', 'ReadWriteMany', 'ReadOnlyMany'])),
      resources: z.strictObject({ requests: z.strictObject({ storage: Quantity }) }),
    }),
  }),
  kind('batch/v1', 'CronJob', {
    spec: z.strictObject({
      schedule: z.string().regex(/^([\d*/,-]+ ){4}[\d*/,-]+$/),
      timeZone: z.string(),
      concurrencyPolicy: z.enum(['Allow', 'Forbid', 'Replace']),
      failedJobsHistoryLimit: z.int(),
      successfulJobsHistoryLimit: z.int(),
      jobTemplate: z.strictObject({ spec: z.strictObject({ backoffLimit: z.int(), template: Pod }) }),
    }),
  }),
])
export type Manifest = z.output<typeof Manifest>
