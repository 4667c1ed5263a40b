import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { readSettings } from '../../server/config.ts'
import { read } from '../support/source-files.ts'

const chart = 'packaging/chart'
const about = parse(read(`${chart}/Chart.yaml`))
const values = parse(read(`${chart}/values.yaml`))
const schema = JSON.parse(read(`${chart}/values.schema.json`))
const accepts = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false }).compile(schema)
const folder = join(import.meta.dirname, '../..', chart, 'templates')
const templates = Object.fromEntries(
  readdirSync(folder).map((name) => [name, read(join(chart, 'templates', name))]),
)

test('the chart has the version of the package', () => {
  expect([about.version, about.appVersion]).toEqual([packageJson.version, packageJson.version])
})

test('the schema accepts the default values, and has each of them', () => {
  expect([accepts(values), accepts.errors]).toEqual([true, null])
  const { global: _, ...properties } = schema.properties
  expect(Object.keys(properties).toSorted()).toEqual(Object.keys(values).toSorted())
})

test.each([
  ['an unknown name', { replicaCount: 2 }],
  ['no replicas', { replicas: 0 }],
  ['a setting that is not text', { settings: { SUTLER_TOKEN_LIFETIME_S: 60 } }],
  ['a secret among the settings', { settings: { SUTLER_SECRET: 'x'.repeat(32) } }],
  ['the port, which the chart knows', { settings: { PORT: '9000' } }],
  ['secrets without the database', { secretSettings: ['SUTLER_SECRET'] }],
  ['an ingress without a host', { ingress: { enabled: true } }],
  ['a monitor without metrics', { metrics: { serviceMonitor: { enabled: true } } }],
  ['metrics at the port for clients', { metrics: { enabled: true, port: 8080 } }],
  ['the port of metrics among the settings', { settings: { SUTLER_METRICS_PORT: '9464' } }],
])('the schema refuses %s', (_case, changes) => {
  expect(accepts({ ...values, ...changes })).toBe(false)
})

test('the secrets of the schema are the settings that may be in files', () => {
  const { enum: names } = schema.properties.secretSettings.items
  const secrets = readSettings({}).settings.flatMap(({ name, isSecret }) => (isSecret ? [name] : []))
  expect(names.toSorted()).toEqual(secrets.toSorted())
  const { enum: refused } = schema.properties.settings.propertyNames.not
  const own = ['SUTLER_METRICS_HOST', 'SUTLER_METRICS_PORT']
  expect(refused.toSorted()).toEqual(
    [...secrets.filter((name) => name !== 'DATABASE_URL'), ...own].toSorted(),
  )
})

test('every value is used by a template, and templates use no other', () => {
  const text = Object.values(templates).join('\n')
  const used = new Set([...text.matchAll(/\.Values\.(\w+)/g)].map(([, name]) => name))
  expect([...used].toSorted()).toEqual(Object.keys(values).toSorted())
  const paths = [...text.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = '']) => path.slice(1).split('.'))
  for (const [first = '', second] of paths)
    if (second && first !== 'settings') expect(Object.keys(values[first])).toContain(second)
  const included = [...text.matchAll(/include "([\w.]+)"/g)].map(([, name]) => name)
  const defined = [...text.matchAll(/define "([\w.]+)"/g)].map(([, name]) => name)
  expect([...new Set(included)].toSorted()).toEqual(defined.toSorted())
})

test('each block of a template ends', () => {
  for (const [name, text] of Object.entries(templates)) {
    const begun = text.match(/\{\{-? (if|range|with|define)\b/g)?.length ?? 0
    const ended = text.match(/\{\{-? end\b/g)?.length ?? 0
    expect([name, ended]).toEqual([name, begun])
  }
})

test.each(['deployment.yaml', 'migration.yaml'])(
  'the pods of %s have no rights that they do not need',
  (name) => {
    for (const part of ['podSecurity', 'containerSecurity'])
      expect(templates[name]).toContain(`"sutler.${part}"`)
    expect(templates[name]).toContain('automountServiceAccountToken: false')
    expect(templates['_sutler.tpl']).toMatch(/runAsNonRoot: true[\s\S]*runAsUser: 10001[\s\S]*RuntimeDefault/)
    expect(templates['_sutler.tpl']).toMatch(
      /readOnlyRootFilesystem: true\ncapabilities: \{ drop: \[ALL\] \}/,
    )
  },
)

test('metrics are served only where they are on, and only inside of the cluster', () => {
  const { 'metrics.yaml': own = '', 'deployment.yaml': deployment = '', ...others } = templates
  const policy = others['network-policy.yaml']
  for (const text of [own, deployment, policy]) expect(text).toContain('{{- if .Values.metrics.enabled }}')
  expect(deployment).toContain('- { name: metrics, containerPort: {{ .Values.metrics.port }} }')
  for (const setting of ['HOST, value: 0.0.0.0', 'PORT, value: {{ .Values.metrics.port | quote }}'])
    expect(deployment).toContain(`- { name: SUTLER_METRICS_${setting} }`)
  expect(own).toContain('targetPort: metrics }')
  expect(own).toMatch(/kind: Service\n[\s\S]*clusterIP: None/)
  expect(policy).toMatch(/from: \[\{ namespaceSelector: \{\} \}\]\n +ports:\n +- \{ port: metrics \}/)
  expect(others['service.yaml']).not.toContain('metrics')
})

test('the monitor is off by default, finds the Service of metrics, and has the job of the alert rules', () => {
  expect(values.metrics).toMatchObject({ enabled: false, serviceMonitor: { enabled: false } })
  const [, monitor = ''] = (templates['metrics.yaml'] ?? '').split('---')
  expect(monitor).toContain('kind: ServiceMonitor')
  expect(templates['metrics.yaml']).toContain('{{- if .Values.metrics.serviceMonitor.enabled }}\n---')
  expect(templates['metrics.yaml']?.match(/component: metrics/g)).toHaveLength(2)
  expect(monitor).toContain('- { port: metrics, path: /metrics,')
  // The value of this label is the name of the job.
  expect(monitor).toContain('jobLabel: app.kubernetes.io/name')
  expect(templates['_sutler.tpl']).toContain('app.kubernetes.io/name: sutler\n')
  expect(read('packaging/prometheus/alerts.yaml')).toContain('up{job="sutler"}')
})

test('the schema is migrated before an upgrade', () => {
  expect(templates['migration.yaml']).toContain('helm.sh/hook: pre-install,pre-upgrade')
  expect(templates['migration.yaml']).toContain('args: [migrate, --expand, --json]')
})
