import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readSettings } from '../../server/config.ts'
import { read } from '../support/source-files.ts'

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly [name: string]: unknown
}

const compose = parse(read('packaging/compose.yaml')) as {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: Readonly<Record<string, null>>
}

test.each(Object.entries(compose.services))(
  'the container %s has no rights that it does not need',
  (_name, one) => {
    expect(one).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: expect.arrayContaining(['/tmp']),
    })
    expect(Object.keys(one)).not.toContain('privileged')
  },
)

test('the server waits for a PostgreSQL 18 that is healthy', () => {
  const { sutler, database } = compose.services
  expect(sutler?.depends_on).toEqual({ database: { condition: 'service_healthy' } })
  expect(database).toMatchObject({
    image: 'postgres:18',
    healthcheck: { test: expect.arrayContaining(['pg_isready']) },
  })
  expect(sutler?.build).toMatchObject({ dockerfile: 'packaging/Containerfile', target: 'slim' })
})

test('secrets are files, which exist for the containers that name them', () => {
  for (const { environment, secrets } of Object.values(compose.services)) {
    const named = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'))
    expect(named.toSorted()).toEqual(secrets.map((name) => `/run/secrets/${name}`).toSorted())
    expect(Object.keys(environment).filter((name) => /SECRET|PASSWORD|DATABASE_URL/.test(name))).toEqual(
      Object.keys(environment).filter((name) => name.endsWith('_FILE')),
    )
  }
  const used = Object.values(compose.services).flatMap(({ secrets }) => secrets)
  expect(Object.keys(compose.secrets).toSorted()).toEqual([...new Set(used)].toSorted())
  for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(join('secrets', name))
})

test('the settings of the server are settings', () => {
  const names = Object.keys(compose.services.sutler?.environment ?? {})
  expect(readSettings(Object.fromEntries(names.map((name) => [name, '']))).unknown).toEqual([])
  expect(names).toContain('DATABASE_URL_FILE')
})
